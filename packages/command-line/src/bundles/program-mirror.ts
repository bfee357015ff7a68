import type { Command as Program } from "commander";
import type { Command } from "../command.ts";
import type { MirrorOptions } from "./mirror.ts";
import { LISTS_HELP } from "./program-bundle.ts";

/** The command `mirror`, which fetches packages before clients ask for them. */
export function addMirror(program: Program, command: Command, ended: (code: number) => void): void {
  program
    .command("mirror")
    .description("fetch the packages and images that lock files list from package sources")
    .requiredOption("--from <file...>", LISTS_HELP)
    .option("--os <list>", "only packages and images for these systems: linux,win32,darwin")
    .option("--cpu <list>", "only packages and images for these processors: x64,arm64")
    .option("--allow-missing", "exit with 0 although something is missing")
    .option("--bundle <file>", "then write them to a bundle, with images for all platforms")
    .option("--json", "print JSON")
    .action(async (options: MirrorOptions) => {
      ended(await (await import("./mirror.ts")).mirrorCommand(command, options));
    });
}
