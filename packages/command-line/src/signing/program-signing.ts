import type { Command as Program } from "commander";
import { withApply } from "../program-apply.ts";
import type { Command, Json } from "../command.ts";
import type { CsrOptions } from "./signing-csr.ts";
import type { ResignOptions } from "./signing-resign.ts";
import type { RetireOptions } from "./signing-retire.ts";
import type { RotateOptions } from "./signing-rotate.ts";
import type { SelfIssueOptions } from "./signing-self-issue.ts";

type Ended = (code: number) => void;

/** Everything about the certificates that packages are signed with. */
export function addSigning(program: Program, command: Command, ended: Ended): void {
  const signing = program
    .command("signing")
    .description("manage the signing certificates of NuGet packages");
  addRecords(signing, command, ended);
  addReplacement(signing, command, ended);
  addRequests(signing, command, ended);
}

/** Lists certificates with the number of their signatures. */
function addRecords(signing: Program, command: Command, ended: Ended): void {
  signing
    .command("list")
    .description("list certificates, their state and the number of versions they signed")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      ended(await (await import("./signing-list.ts")).printCertificates(command, options));
    });
}

/** Replaces one certificate by another. */
function addReplacement(signing: Program, command: Command, ended: Ended): void {
  signing
    .command("rotate")
    .description("switch to a new certificate: listed now, signs an hour later")
    .option("--now", "sign with it at once; some clients refuse it for half an hour")
    .option("--resign", "with --now: sign packages of older certificates again")
    .option("--json", "print JSON")
    .action(async (options: RotateOptions) => {
      ended(await (await import("./signing-rotate.ts")).rotateAndPrint(command, options));
    });
  const resign = signing
    .command("resign")
    .description("sign packages of older certificates again")
    .option("--from <fingerprint>", "only packages of this certificate")
    .option("--limit <count>", "maximum number of versions; the next run continues")
    .option("--json", "print JSON")
    .action(async (options: ResignOptions) => {
      ended(await (await import("./signing-resign.ts")).resignVersions(command, options));
    });
  withApply(resign, {
    list: "list the packages; sign nothing",
    apply: "sign the packages (default)",
  });
  signing
    .command("retire <fingerprint>")
    .description("stop using a certificate and remove it from the list")
    .option("--resign", "sign its packages again first")
    .option("--json", "print JSON")
    .action(async (fingerprint: string, options: RetireOptions) => {
      const { retireNamed } = await import("./signing-retire.ts");
      ended(await retireNamed(command, fingerprint, options));
    });
}

/** Commands to get a certificate for a key. */
function addRequests(signing: Program, command: Command, ended: Ended): void {
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
