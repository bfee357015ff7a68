import type { Certificate } from "@sealhouse/repo-signing";
import type { Holdings } from "../wiring/holdings.ts";
import type { SigningTools } from "@sealhouse/repo-signing/feed";
import { CommandError } from "./command.ts";
import type { Command } from "./command.ts";
import { clockOf, openFeed, openSigningTools } from "./signing-feed.ts";
import { minuteOf } from "./signing-list.ts";
import { lineOf, resignAll, tellReport } from "./signing-resign.ts";

export type RotateOptions = {
  readonly now?: true;
  readonly resign?: true;
  readonly json?: true;
};

type Rotated = {
  readonly certificate: Certificate;
  /** `configured`: hosts use it when their settings lead to it. */
  readonly status: "prepared" | "waiting" | "at-once" | "configured";
  readonly signsFrom: Date;
};

/** Prepares a new certificate: makes one in self-signed mode, else opens the one that was
 * configured. It is listed now and signs an hour later. Packages of older ones stay as they are,
 * and listed. */
export async function rotateCertificate(command: Command, options: RotateOptions): Promise<number> {
  if (options.resign && !options.now) throw new CommandError(RESIGN_NEEDS_NOW);
  await using held = await openFeed(command);
  const tools = await openSigningTools(held);
  const atOnce = options.now ?? false;
  const now = clockOf(command)();
  const rotated = await (tools.rotate
    ? makeOwn(tools.rotate, { atOnce, now })
    : takeConfigured(held, tools, { atOnce, now }));
  const { fingerprint, subject, notAfter } = rotated.certificate;
  const which = { notBy: fingerprint };
  const run = {
    dryRun: false,
    limit: undefined,
    onStep: (step: Parameters<typeof lineOf>[0]) => {
      if (!options.json) command.print(lineOf(step));
    },
  };
  if (!options.json) tellRotated(command, rotated);
  const report = options.resign && (await resignAll(command, { held, tools, which }, run));
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

async function makeOwn(
  rotate: NonNullable<SigningTools["rotate"]>,
  { atOnce, now }: { readonly atOnce: boolean; readonly now: Date },
): Promise<Rotated> {
  const { signer, ...rotation } = await rotate({ atOnce });
  const { usableCertificate } = await import("@sealhouse/repo-signing");
  return { ...rotation, certificate: usableCertificate(signer, now) };
}

/** On record, and so listed, before the first package is served with its signature. */
async function takeConfigured(
  { database }: Holdings,
  tools: SigningTools,
  { atOnce, now }: { readonly atOnce: boolean; readonly now: Date },
): Promise<Rotated> {
  const { announceSigner, usableCertificate } = await import("@sealhouse/repo-signing");
  const opened = await (tools.successor ?? tools.signer)();
  const certificate = usableCertificate(opened, now);
  const known = await database.certificates.find(certificate.fingerprint);
  if (known && known.firstUsedAt <= now) {
    throw new CommandError(
      `The settings still name ${known.subject} (${known.fingerprint}), which has signed here ` +
        `since ${known.firstUsedAt.toISOString()}. Configure the new certificate, then run this ` +
        "again.",
    );
  }
  const rotation = { ledger: database.certificates, now: () => now };
  const { firstUsedAt } = await announceSigner(opened, {
    ...rotation,
    ...(atOnce && { listedBeforeSigningMs: 0 }),
  });
  if (tools.successor) {
    const status = atOnce ? "at-once" : known ? "waiting" : "prepared";
    return { certificate, status, signsFrom: firstUsedAt };
  }
  return { certificate, status: "configured", signsFrom: firstUsedAt };
}

function tellRotated({ print, tell }: Command, { certificate, status, signsFrom }: Rotated): void {
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
