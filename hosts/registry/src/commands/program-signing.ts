import type { Command as Program } from "commander";
import type { Json } from "./package.ts";
import type { Command } from "./command.ts";
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
    .description("look after the certificates that NuGet packages are signed with");
  addRecords(signing, command, ended);
  addReplacement(signing, command, ended);
  addRequests(signing, command, ended);
}

/** What was signed with which certificate. */
function addRecords(signing: Program, command: Command, ended: Ended): void {
  signing
    .command("list")
    .description("list certificates: prepared, active or retired, and the versions of each")
    .option("--json", "for programs")
    .action(async (options: Json) => {
      ended(await (await import("./signing-list.ts")).printCertificates(command, options));
    });
}

/** How one certificate takes the place of another. */
function addReplacement(signing: Program, command: Command, ended: Ended): void {
  signing
    .command("rotate")
    .description("prepare a new certificate: listed now, signs an hour later on all hosts")
    .option("--now", "sign with it at once; clients may refuse it for half an hour")
    .option("--resign", "with --now: sign again what older certificates have signed")
    .option("--json", "for programs")
    .action(async (options: RotateOptions) => {
      ended(await (await import("./signing-rotate.ts")).rotateAndTell(command, options));
    });
  signing
    .command("resign")
    .description("sign again, with today's certificate, what others have signed")
    .option("--from <fingerprint>", "only what this certificate has signed")
    .option("--dry-run", "say what would be signed again")
    .option("--limit <count>", "at most so many versions; the next run goes on")
    .option("--json", "for programs")
    .action(async (options: ResignOptions) => {
      ended(await (await import("./signing-resign.ts")).resignVersions(command, options));
    });
  signing
    .command("retire <fingerprint>")
    .description("never sign with this certificate again, and list it no longer")
    .option("--resign", "first sign again what it has signed")
    .option("--json", "for programs")
    .action(async (fingerprint: string, options: RetireOptions) => {
      const { retireNamed } = await import("./signing-retire.ts");
      ended(await retireNamed(command, fingerprint, options));
    });
}

/** How a key comes to a certificate. */
function addRequests(signing: Program, command: Command, ended: Ended): void {
  signing
    .command("csr")
    .description("make a request for a certificate (PKCS#10) with the key of the signing mode")
    .option("--subject <name>", "such as CN=Feed, O=Acme; default: the name of the server")
    .option("--out <file>", "a new file; default: standard output")
    .action(async (options: CsrOptions) => {
      ended(await (await import("./signing-csr.ts")).requestCertificate(command, options));
    });
  signing
    .command("self-issue")
    .description("make a self-signed certificate for the key of the signing mode, to try it out")
    .option("--subject <name>", "such as CN=Feed, O=Acme; default: the name of the server")
    .option("--days <count>", "how long it is valid, up to 3650", "365")
    .option("--out <file>", "a new file; default: standard output")
    .action(async (options: SelfIssueOptions) => {
      const { selfIssueCertificate } = await import("./signing-self-issue.ts");
      ended(await selfIssueCertificate(command, options));
    });
}
