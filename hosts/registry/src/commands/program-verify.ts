import type { Command as Program } from "commander";
import type { Command } from "./command.ts";
import type { VerifyCommandOptions } from "./verify.ts";

type Ended = (code: number) => void;

const collect = (file: string, before: readonly string[]) => [...before, file];

/** Proves what is stored, or any package file. */
export function addVerify(program: Program, command: Command, ended: Ended): void {
  program
    .command("verify")
    .description("prove the digests, signatures and time-stamps of NuGet packages")
    .argument("[package...]", "package files, or an id and a version of this feed")
    .option("--all", "every version of this feed")
    .option(
      "--trust <pem>",
      "roots to trust for signatures and time-stamps; may be repeated",
      collect,
      [],
    )
    .option("--timestamp-trust <pem>", "the only roots to trust for time-stamps", collect, [])
    .option("--json", "for programs")
    .action(async (named: readonly string[], options: VerifyCommandOptions) => {
      ended(await (await import("./verify.ts")).verifyPackages(command, named, options));
    });
}
