import type { Command as Program } from "commander";
import type { Command } from "../command.ts";
import type { CsrOptions } from "./signing-csr.ts";
import type { SelfIssueOptions } from "./signing-self-issue.ts";

type Ended = (code: number) => void;

/** The commands that make a certificate for the key of the settings. */
export function addSigning(program: Program, command: Command, ended: Ended): void {
  const signing = program.command("signing");
  signing
    .command("csr")
    .description("create a certificate request (PKCS#10) for the signing key")
    .option("--subject <name>", "subject, such as CN=Feed, O=Acme; default: the server name")
    .option("--out <file>", "output file; default: standard output")
    .action(async (options: CsrOptions) => {
      ended(await (await import("./signing-csr.ts")).requestCertificate(command, options));
    });
  signing
    .command("self-issue")
    .description("create a self-signed certificate for testing")
    .option("--subject <name>", "subject, such as CN=Feed, O=Acme; default: the server name")
    .option("--days <count>", "validity in days, 1 to 3650", "365")
    .option("--out <file>", "output file; default: standard output")
    .action(async (options: SelfIssueOptions) => {
      const { selfIssueCertificate } = await import("./signing-self-issue.ts");
      ended(await selfIssueCertificate(command, options));
    });
}
