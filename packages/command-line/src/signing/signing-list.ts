import { listCertificates } from "@sealhouse/repo-signing/feed";
import type { Command, Json } from "../command.ts";
import { clockOf, openRows } from "../open-feed.ts";

/** Prints every certificate on record and how many versions it signs. */
export async function printCertificates(command: Command, { json }: Json): Promise<number> {
  const { stdout, stderr } = command;
  await using database = await openRows(command);
  const { certificates: ledger, nuget } = database;
  const listed = await listCertificates({ ledger, seals: nuget.seals, now: clockOf(command) });
  if (json) {
    stdout(JSON.stringify(listed, undefined, 2));
    return 0;
  }
  if (listed.length === 0) stderr("Nothing was signed yet.");
  for (const certificate of listed) {
    const noun = certificate.versions === 1 ? "version" : "versions";
    const versions = `${certificate.versions} ${noun}`;
    stdout([certificate.fingerprint, certificate.state, versions, certificate.subject].join("  "));
    const [from, to] = [dayOf(certificate.notBefore), dayOf(certificate.notAfter)];
    const [first, last] = [minuteOf(certificate.firstUsedAt), minuteOf(certificate.lastUsedAt)];
    const signs =
      certificate.state === "prepared" ? `signs from ${first}` : `signed ${first} to ${last}`;
    stdout(`  valid ${from} to ${to}, ${signs}`);
  }
  return 0;
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}
