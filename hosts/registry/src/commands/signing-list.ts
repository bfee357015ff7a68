import { openDatabase } from "@sealhouse/database";
import type { CertificateRecord } from "@sealhouse/repo-signing";
import type { Json } from "./package.ts";
import type { Command } from "./command.ts";

/** Every certificate on record in the order in which they signed, and how much each vouches for. */
export async function listCertificates(
  { load, print, tell, now = () => new Date() }: Command,
  { json }: Json,
): Promise<number> {
  const { config } = load();
  await using database = await openDatabase(config.database, { migrate: config.migrateAtStart });
  const records = await database.certificates.list();
  const counts = await database.nuget.seals.counts();
  const shown = records.map(({ der: _der, ...record }) => ({
    ...record,
    state: stateOf(record, now()),
    versions: counts.get(record.fingerprint) ?? 0,
  }));
  if (json) {
    print(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  if (shown.length === 0) tell("Nothing was signed yet.");
  for (const one of shown) {
    const vouches = `${one.versions} ${one.versions === 1 ? "version" : "versions"}`;
    print([one.fingerprint, one.state, vouches, one.subject].join("  "));
    const [from, to] = [dayOf(one.notBefore), dayOf(one.notAfter)];
    const [first, last] = [minuteOf(one.firstUsedAt), minuteOf(one.lastUsedAt)];
    const signs = one.state === "prepared" ? `signs from ${first}` : `signed ${first} to ${last}`;
    print(`  valid ${from} to ${to}, ${signs}`);
  }
  return 0;
}

/** `prepared`: listed, and not in use before its time. */
function stateOf(
  { active, firstUsedAt }: Pick<CertificateRecord, "active" | "firstUsedAt">,
  now: Date,
): "prepared" | "active" | "retired" {
  if (!active) return "retired";
  return firstUsedAt > now ? "prepared" : "active";
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}
