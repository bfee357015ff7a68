import { openDatabase } from "@sealhouse/database";
import type { Json } from "./package.ts";
import type { Command } from "./run.ts";

/** Every certificate that has signed, oldest first, and how much it vouches for. */
export async function listCertificates(
  { load, print, tell }: Command,
  { json }: Json,
): Promise<number> {
  const { config } = load();
  await using database = await openDatabase(config.database, { migrate: config.migrateAtStart });
  const records = await database.certificates.list();
  const counts = await database.nuget.seals.counts();
  const shown = records.map(({ der: _der, ...record }) => ({
    ...record,
    versions: counts.get(record.fingerprint) ?? 0,
  }));
  if (json) {
    print(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  if (shown.length === 0) tell("Nothing was signed yet.");
  for (const one of shown) {
    const state = one.active ? "active" : "retired";
    const vouches = `${one.versions} ${one.versions === 1 ? "version" : "versions"}`;
    print([one.fingerprint, state, vouches, one.subject].join("  "));
    const [from, to] = [dayOf(one.notBefore), dayOf(one.notAfter)];
    const [first, last] = [minuteOf(one.firstUsedAt), minuteOf(one.lastUsedAt)];
    print(`  valid ${from} to ${to}, signed from ${first} to ${last}`);
  }
  return 0;
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}
