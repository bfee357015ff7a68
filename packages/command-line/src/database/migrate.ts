import { migrateDatabase, pendingMigrations } from "@sealhouse/database";
import type { Command } from "../command.ts";

export type MigrateOptions = { readonly dryRun?: true };

/** Applies pending migrations, or prints their names in a dry run. */
export async function migrate(
  { load, stdout }: Command,
  { dryRun }: MigrateOptions,
): Promise<number> {
  const { config } = load();
  if (dryRun) {
    const pending = await pendingMigrations(config.database);
    for (const name of pending) stdout(`would apply ${name}`);
    if (pending.length === 0) stdout("the schema is up to date");
    return 0;
  }
  const { applied } = await migrateDatabase(config.database);
  for (const name of applied) stdout(`applied ${name}`);
  stdout(applied.length === 0 ? "the schema is up to date" : "the schema is now up to date");
  return 0;
}
