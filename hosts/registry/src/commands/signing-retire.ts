import type { CertificateRecord } from "@sealhouse/repo-signing";
import type { Holdings } from "../wiring/holdings.ts";
import type { SigningTools } from "@sealhouse/repo-signing/feed";
import { operator } from "./operator.ts";
import { CommandError } from "./command.ts";
import type { Command } from "./command.ts";
import { namedCertificate, openFeed, openSigningTools, todaysCertificate } from "./signing-feed.ts";
import { lineOf, resignAll, tellReport } from "./signing-resign.ts";

export type RetireOptions = { readonly resign?: true; readonly json?: true };

/** Withdraws a certificate that vouches for nothing any more. */
export async function retireCertificate(
  command: Command,
  named: string,
  options: RetireOptions,
): Promise<number> {
  await using held = await openFeed(command);
  const { certificates } = held.database;
  const record = namedCertificate(await certificates.list(), named);
  if (record.active) await prepare(command, { held, record, options });
  const outcome = await certificates.retire(record.fingerprint, operator());
  if (outcome.status === "vouching") throw stillVouching(record, outcome.versions);
  const { fingerprint, subject } = record;
  if (options.json) {
    command.print(JSON.stringify({ fingerprint, subject, outcome: outcome.status }));
  } else if (outcome.status === "unchanged") command.tell(`${subject} was retired before.`);
  else {
    command.tell(`${subject} (${fingerprint}) never signs again, and is no longer listed.`);
  }
  return outcome.status === "absent" ? 1 : 0;
}

/** Refuses what would stop the feed from signing, and signs again first where that was asked. */
async function prepare(
  command: Command,
  {
    held,
    record,
    options,
  }: {
    readonly held: Holdings;
    readonly record: CertificateRecord;
    readonly options: RetireOptions;
  },
): Promise<void> {
  const { fingerprint } = record;
  const opened = await openIfPossible(command, held, options);
  if (!opened) return;
  const { tools, today } = opened;
  if (today === fingerprint) {
    throw new CommandError(
      `${fingerprint} is the certificate that signs now. Take another one into use first: ` +
        "sealhouse signing rotate",
    );
  }
  if (!options.resign) return;
  const report = await resignAll(
    command,
    { held, tools, which: { by: fingerprint } },
    {
      dryRun: false,
      limit: undefined,
      onStep(step) {
        if (!options.json) command.print(lineOf(step));
      },
    },
  );
  if (!options.json) tellReport(command, report);
}

/** A certificate can be retired while the key service is out, or signing is off for good. */
async function openIfPossible(
  { tell }: Command,
  held: Holdings,
  { resign }: RetireOptions,
): Promise<{ readonly tools: SigningTools; readonly today: string } | undefined> {
  try {
    const tools = await openSigningTools(held);
    return { tools, today: (await todaysCertificate(tools)).fingerprint };
  } catch (error) {
    if (resign || !(error instanceof Error)) throw error;
    tell(`Not checked whether it still signs: ${error.message}`);
    return undefined;
  }
}

function stillVouching({ fingerprint }: CertificateRecord, versions: number): CommandError {
  const what = versions === 1 ? "1 version is" : `${versions} versions are`;
  return new CommandError(
    `${what} served with a signature of this certificate alone, which clients would no longer ` +
      `accept. Sign again first: sealhouse signing resign --from ${fingerprint}, or say --resign.`,
  );
}
