import type { CertificateRecord } from "@sealhouse/repo-signing";
import type { ResignStep, RotatedCertificate } from "@sealhouse/repo-signing/feed";
import { rotateCertificate } from "@sealhouse/repo-signing/feed";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { clockOf, openFeed } from "../open-feed.ts";
import { openSigningTools } from "./signing-feed.ts";
import { minuteOf } from "./signing-list.ts";
import { lineOf, resignStored, printReport } from "./signing-resign.ts";

export type RotateOptions = {
  readonly now?: true;
  readonly resign?: true;
  readonly json?: true;
};

/** Rotates the certificate, and signs versions of older ones again with `--resign`. */
export async function rotateAndPrint(command: Command, options: RotateOptions): Promise<number> {
  if (options.resign && !options.now) throw new CommandError(RESIGN_NEEDS_NOW);
  await using resources = await openFeed(command);
  const tools = await openSigningTools(resources);
  const parts = { tools, ledger: resources.database.certificates, now: clockOf(command) };
  const rotated = await rotateCertificate(parts, { atOnce: options.now ?? false });
  if (rotated.status === "in-use") throw notConfigured(rotated.record);
  const { fingerprint, subject, notAfter } = rotated.certificate;
  const which = { notBy: fingerprint };
  const run = { which, dryRun: false, limit: undefined, signal: command.stop };
  const onStep = (step: ResignStep) => {
    if (!options.json) command.stdout(lineOf(step));
  };
  if (!options.json) printRotation(command, rotated);
  const report = options.resign && (await resignStored({ resources, tools }, run, onStep));
  const left = report?.left ?? (await resources.database.nuget.seals.count(which));
  if (options.json) {
    const { status, signsFrom } = rotated;
    const shown = { fingerprint, subject, notAfter, status, signsFrom, left };
    command.stdout(JSON.stringify({ ...shown, ...(report && { resigned: report }) }, undefined, 2));
  } else if (report) printReport(command, report);
  else printRemaining(command, left);
  return report && report.failed > 0 ? 1 : 0;
}

function printRemaining({ stderr }: Command, left: number): void {
  if (left === 0) return;
  const versions = left === 1 ? "1 version keeps" : `${left} versions keep`;
  stderr(`${versions} the signature of an older certificate, which stays valid.`);
  stderr("To sign them again once the new certificate signs: sealhouse signing resign");
}

const RESIGN_NEEDS_NOW =
  "--resign needs a certificate that signs now: add --now, or run `sealhouse signing resign` " +
  "once the new certificate signs.";

function notConfigured({ subject, fingerprint, firstUsedAt }: CertificateRecord): CommandError {
  return new CommandError(
    `The settings still name ${subject} (${fingerprint}), which signs since ` +
      `${firstUsedAt.toISOString()}. Configure the new certificate, then run this command again.`,
  );
}

function printRotation(
  { stdout, stderr }: Command,
  { certificate, status, signsFrom }: RotatedCertificate,
): void {
  const { fingerprint, subject, notAfter } = certificate;
  stdout(fingerprint);
  const [until, from] = [notAfter.toISOString().slice(0, 10), minuteOf(signsFrom)];
  switch (status) {
    case "prepared":
      stderr(`${subject} is listed now. All hosts sign with it from ${from}, until ${until}.`);
      break;
    case "waiting":
      stderr(`${subject} is listed already. All hosts sign with it from ${from}, until ${until}.`);
      stderr("To sign with it at once: sealhouse signing rotate --now");
      return;
    case "configured":
      stderr(`${subject} is listed now. Configure it on the hosts from ${from}, not before.`);
      break;
    case "at-once":
      stderr(`${subject} signs from now on, until ${until}. Running hosts notice within a minute.`);
      stderr(REFUSED_FOR_A_WHILE);
  }
  stderr("Clients that pin the certificate must trust this one as well.");
}

/** The effect of `--now` on clients. */
const REFUSED_FOR_A_WHILE =
  "Clients keep the former list of certificates for up to half an hour. Until then those that " +
  "require signatures refuse packages signed with the new certificate (NU3034); " +
  "`dotnet nuget locals http-cache --clear` makes a client ask again.";
