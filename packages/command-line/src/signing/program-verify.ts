import type { Command as Program } from "commander";
import type { Command } from "../command.ts";
import type { VerifyCommandOptions } from "./verify.ts";

type Ended = (code: number) => void;

const collect = (file: string, before: readonly string[]) => [...before, file];

/** Verifies stored packages or package files. */
export function addVerify(program: Program, command: Command, ended: Ended): void {
  program
    .command("verify")
    .description("verify digests, signatures and timestamps of NuGet packages")
    .argument("[package...]", "package files, or ID and version of a package in this feed")
    .option("--all", "verify all versions in this feed")
    .option(
      "--trust <pem>",
      "PEM file of trusted roots for signatures and timestamps; repeatable",
      collect,
      [],
    )
    .option("--timestamp-trust <pem>", "PEM file of trusted roots for timestamps only", collect, [])
    .option("--json", "print JSON")
    .action(async (words: readonly string[], options: VerifyCommandOptions) => {
      ended(await (await import("./verify.ts")).verifyPackages(command, words, options));
    });
}
