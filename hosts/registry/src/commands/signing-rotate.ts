import type { Certificate, Signer } from "@sealhouse/repo-signing";
import type { Holdings } from "../wiring/holdings.ts";
import type { SigningTools } from "../wiring/signing.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";
import { openFeed, openSigningTools } from "./signing-feed.ts";
import { lineOf, resignAll, tellReport } from "./signing-resign.ts";

export type RotateOptions = { readonly resign?: true; readonly json?: true };

/** Takes a new certificate into use: makes one in self-signed mode, else opens the one that was
 * configured. Packages of older ones stay as they are, and listed. */
export async function rotateCertificate(command: Command, options: RotateOptions): Promise<number> {
  await using held = await openFeed(command);
  const tools = await openSigningTools(held);
  const isOwn = tools.rotate !== undefined;
  const certificate = await (isOwn ? makeOwn(held, tools.rotate) : takeConfigured(held, tools));
  const { fingerprint, subject, notAfter } = certificate;
  const which = { notBy: fingerprint };
  const run = {
    dryRun: false,
    limit: undefined,
    onStep: (step: Parameters<typeof lineOf>[0]) => {
      if (!options.json) command.print(lineOf(step));
    },
  };
  if (!options.json) tellRotated(command, certificate, isOwn);
  const report = options.resign && (await resignAll(command, { held, tools, which }, run));
  const left = report?.left ?? (await held.database.nuget.seals.count(which));
  if (options.json) {
    const rotated = { fingerprint, subject, notAfter, left };
    command.print(
      JSON.stringify({ ...rotated, ...(report && { resigned: report }) }, undefined, 2),
    );
  } else if (report) tellReport(command, report);
  else if (left > 0) {
    const versions = left === 1 ? "1 version" : `${left} versions`;
    command.tell(`Valid as before, with the signature of an older certificate: ${versions}.`);
    command.tell("To sign them again as well: sealhouse signing resign");
  }
  return report && report.failed > 0 ? 1 : 0;
}

async function makeOwn(held: Holdings, rotate: () => Promise<Signer>): Promise<Certificate> {
  return recorded(held, await rotate());
}

async function takeConfigured(held: Holdings, { signer }: SigningTools): Promise<Certificate> {
  const opened = await signer();
  const { parseCertificate } = await import("@sealhouse/repo-signing");
  const [der] = opened.chain;
  const known = der && (await held.database.certificates.find(parseCertificate(der).fingerprint));
  if (known) {
    throw new CommandError(
      `The settings still name ${known.subject} (${known.fingerprint}), which has signed here ` +
        `since ${known.firstUsedAt.toISOString()}. Configure the new certificate, then run this ` +
        "again.",
    );
  }
  return recorded(held, opened);
}

/** On record, and so listed, before the first package is served with its signature. */
async function recorded({ database }: Holdings, signer: Signer): Promise<Certificate> {
  const { certificateRecordOf, usableCertificate } = await import("@sealhouse/repo-signing");
  const now = new Date();
  const certificate = usableCertificate(signer, now);
  const [der] = signer.chain;
  if (der) await database.certificates.used(certificateRecordOf(der), now);
  return certificate;
}

function tellRotated(
  { print, tell }: Command,
  { fingerprint, subject, notAfter }: Certificate,
  isOwn: boolean,
): void {
  print(fingerprint);
  tell(`${subject} signs from now on, until ${notAfter.toISOString().slice(0, 10)}.`);
  tell(
    isOwn
      ? "Running hosts notice within a minute. Whoever pins the certificate needs this one, too."
      : "Running hosts notice within an hour, or when they are restarted with the new settings.",
  );
}
