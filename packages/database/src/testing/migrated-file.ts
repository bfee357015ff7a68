import { createHash, randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrateDatabase } from "../schema/ensure-schema.ts";

const MIGRATIONS = fileURLToPath(new URL("../migrations", import.meta.url));
const CACHE = fileURLToPath(
  new URL("../../../../node_modules/.cache/sealhouse-tests", import.meta.url),
);

let migrated: Promise<string> | undefined;

/**
 * Copies an empty and migrated SQLite file to `path`. The file is made once for each state of the
 * migrations, because to make it takes about two CPU seconds.
 */
export async function copyMigratedSqlite(path: string): Promise<void> {
  await copyFile(await (migrated ??= migratedFile()), path);
}

async function migratedFile(): Promise<string> {
  const path = join(CACHE, `migrated-${hashOfMigrations()}.db`);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${path}.${randomUUID()}`;
  await migrateDatabase({ type: "Sqlite", path: unfinished });
  renameSync(unfinished, path);
  return path;
}

function hashOfMigrations(): string {
  const hash = createHash("sha256");
  for (const name of globSync("**/*.{ts,js}", { cwd: MIGRATIONS }).toSorted()) {
    hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  }
  return hash.digest("hex").slice(0, 16);
}
