import type { CertificateRecord } from "@sealhouse/repo-signing";
import type { SigningTools } from "@sealhouse/repo-signing/feed";
import { retireCertificate } from "@sealhouse/repo-signing/feed";
import type { RegistryResources } from "../ports.ts";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { openFeed } from "../open-feed.ts";
import { namedCertificate, openSigningTools } from "./signing-feed.ts";
import { currentlySigns, lineOf, resignStored, printReport } from "./signing-resign.ts";

export type RetireOptions = { readonly resign?: true; readonly json?: true };

/** Retires a certificate that no version needs. */
export async function retireNamed(
  command: Command,
  prefix: string,
  options: RetireOptions,
): Promise<number> {
  await using resources = await openFeed(command);
  const { certificates } = resources.database;
  const record = namedCertificate(await certificates.list(), prefix);
  const { fingerprint, subject } = record;
  const parts = {
    retire: () => certificates.retire(fingerprint, operator()),
    openTools: () => openSigningTools(resources),
    now: () => new Date(),
  };
  const outcome = await retireCertificate(parts, record, {
    resign:
      options.resign && ((tools) => resignFirst(command, { resources, tools, record }, options)),
    onUnchecked: ({ message }) => command.stderr(`Not checked whether it still signs: ${message}`),
  });
  if (outcome.status === "current") throw currentlySigns(fingerprint);
  if (outcome.status === "in-use") throw stillNeeded(record, outcome.versions);
  if (options.json) {
    command.stdout(JSON.stringify({ fingerprint, subject, outcome: outcome.status }));
  } else if (outcome.status === "unchanged") command.stderr(`${subject} was retired before.`);
  else {
    command.stderr(`${subject} (${fingerprint}) never signs again, and is no longer listed.`);
  }
  return outcome.status === "absent" ? 1 : 0;
}

async function resignFirst(
  command: Command,
  {
    resources,
    tools,
    record,
  }: {
    readonly resources: RegistryResources;
    readonly tools: SigningTools;
    readonly record: CertificateRecord;
  },
  { json }: RetireOptions,
): Promise<void> {
  const which = { by: record.fingerprint };
  const run = { which, dryRun: false, limit: undefined, signal: command.stop };
  const report = await resignStored({ resources, tools }, run, (step) => {
    if (!json) command.stdout(lineOf(step));
  });
  if (!json) printReport(command, report);
}

function stillNeeded({ fingerprint }: CertificateRecord, versions: number): CommandError {
  const what = versions === 1 ? "1 version is" : `${versions} versions are`;
  return new CommandError(
    `${what} served with a signature of this certificate alone, which clients would no longer ` +
      `accept. Sign again first: sealhouse signing resign --from ${fingerprint}, or say --resign.`,
  );
}
