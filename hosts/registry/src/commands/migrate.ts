import { migrateDatabase } from "@sealhouse/database";
import type { Command } from "./command.ts";

export async function migrate({ load, stdout }: Command): Promise<number> {
  const { config } = load();
  const { applied } = await migrateDatabase(config.database);
  for (const name of applied) stdout(`applied ${name}`);
  stdout(applied.length === 0 ? "the schema is up to date" : "the schema is now up to date");
  return 0;
}
