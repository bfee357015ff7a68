import type { CertificateRecord } from "@sealhouse/repo-signing";
import type { ResignStep, RotatedCertificate } from "@sealhouse/repo-signing/feed";
import { rotateCertificate } from "@sealhouse/repo-signing/feed";
import { CommandError } from "./command.ts";
import type { Command } from "./command.ts";
import { clockOf, openFeed, openSigningTools } from "./signing-feed.ts";
import { minuteOf } from "./signing-list.ts";
import { lineOf, resignStored, tellReport } from "./signing-resign.ts";

export type RotateOptions = {
  readonly now?: true;
  readonly resign?: true;
  readonly json?: true;
};

/** Rotates the certificate, and signs versions of older ones again with `--resign`. */
export async function rotateAndTell(command: Command, options: RotateOptions): Promise<number> {
  if (options.resign && !options.now) throw new CommandError(RESIGN_NEEDS_NOW);
  await using held = await openFeed(command);
  const tools = await openSigningTools(held);
  const parts = { tools, ledger: held.database.certificates, now: clockOf(command) };
  const rotated = await rotateCertificate(parts, { atOnce: options.now ?? false });
  if (rotated.status === "in-use") throw notConfigured(rotated.record);
  const { fingerprint, subject, notAfter } = rotated.certificate;
  const which = { notBy: fingerprint };
  const run = { which, dryRun: false, limit: undefined, signal: command.stop };
  const onStep = (step: ResignStep) => {
    if (!options.json) command.print(lineOf(step));
  };
  if (!options.json) tellRotated(command, rotated);
  const report = options.resign && (await resignStored({ held, tools }, run, onStep));
  const left = report?.left ?? (await held.database.nuget.seals.count(which));
  if (options.json) {
    const { status, signsFrom } = rotated;
    const shown = { fingerprint, subject, notAfter, status, signsFrom, left };
    command.print(JSON.stringify({ ...shown, ...(report && { resigned: report }) }, undefined, 2));
  } else if (report) tellReport(command, report);
  else tellLeft(command, left);
  return report && report.failed > 0 ? 1 : 0;
}

function tellLeft({ tell }: Command, left: number): void {
  if (left === 0) return;
  const versions = left === 1 ? "1 version keeps" : `${left} versions keep`;
  tell(`${versions} the signature of an older certificate, which stays valid.`);
  tell("To sign them again once the new certificate signs: sealhouse signing resign");
}

const RESIGN_NEEDS_NOW =
  "--resign needs a certificate that signs now: add --now, or run `sealhouse signing resign` " +
  "once the new certificate signs.";

function notConfigured({ subject, fingerprint, firstUsedAt }: CertificateRecord): CommandError {
  return new CommandError(
    `The settings still name ${subject} (${fingerprint}), which has signed here ` +
      `since ${firstUsedAt.toISOString()}. Configure the new certificate, then run this ` +
      "again.",
  );
}

function tellRotated(
  { print, tell }: Command,
  { certificate, status, signsFrom }: RotatedCertificate,
): void {
  const { fingerprint, subject, notAfter } = certificate;
  print(fingerprint);
  const [until, from] = [notAfter.toISOString().slice(0, 10), minuteOf(signsFrom)];
  switch (status) {
    case "prepared":
      tell(`${subject} is listed now. All hosts sign with it from ${from}, until ${until}.`);
      break;
    case "waiting":
      tell(`${subject} is listed already. All hosts sign with it from ${from}, until ${until}.`);
      tell("To sign with it at once: sealhouse signing rotate --now");
      return;
    case "configured":
      tell(`${subject} is listed now. Configure it on the hosts from ${from}, not before.`);
      break;
    case "at-once":
      tell(`${subject} signs from now on, until ${until}. Running hosts notice within a minute.`);
      tell(REFUSED_FOR_A_WHILE);
  }
  tell("Whoever pins the certificate needs this one, too.");
}

/** What `--now` costs. */
const REFUSED_FOR_A_WHILE =
  "Clients keep the former list of certificates for up to half an hour. Until then those that " +
  "require signatures refuse packages signed with the new certificate (NU3034); " +
  "`dotnet nuget locals http-cache --clear` makes a client ask again.";
