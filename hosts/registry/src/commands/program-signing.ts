import type { Command as Program } from "commander";
import type { Json } from "./package.ts";
import type { Command } from "./run.ts";

type Ended = (code: number) => void;

/** Everything about the certificates that packages are signed with. */
export function addSigning(program: Program, command: Command, ended: Ended): void {
  const signing = program
    .command("signing")
    .description("look after the certificates that NuGet packages are signed with");
  addRecords(signing, command, ended);
}

/** What was signed with which certificate. */
function addRecords(signing: Program, command: Command, ended: Ended): void {
  signing
    .command("list")
    .description("list every certificate that has signed")
    .option("--json", "for programs")
    .action(async (options: Json) => {
      ended(await (await import("./signing-list.ts")).listCertificates(command, options));
    });
}
