import { openDatabase } from "@sealhouse/database";
import type { Json } from "./package.ts";
import type { Command } from "./run.ts";

/** Every certificate that has signed, oldest first. */
export async function listCertificates(
  { load, print, tell }: Command,
  { json }: Json,
): Promise<number> {
  const { config } = load();
  await using database = await openDatabase(config.database, { migrate: config.migrateAtStart });
  const records = await database.certificates.list();
  const shown = records.map(({ der: _der, ...rest }) => rest);
  if (json) {
    print(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  if (shown.length === 0) tell("Nothing was signed yet.");
  for (const { fingerprint, active, subject } of shown) {
    print([fingerprint, active ? "active" : "retired", subject].join("  "));
  }
  return 0;
}
