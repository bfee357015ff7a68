import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import Database from "better-sqlite3";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import { migrate } from "./migrate.ts";

/** 11, the best, takes 40 times as long and saves a kilobyte. */
const QUALITY = 9;

/**
 * Writes an empty and migrated SQLite file, compressed with Brotli. The same migrations give the
 * same bytes.
 */
export async function writeEmptyFile(path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-empty-"));
  try {
    const migrated = join(folder, "migrated.db");
    const connections = await openConnections({ type: "Sqlite", path: migrated });
    try {
      await migrate(connections);
    } finally {
      await closeConnections(connections);
    }
    const empty = join(folder, "empty.db");
    withFile(migrated, (file) => {
      // The time of the build says nothing about a database that is copied later.
      for (const one of CONTEXTS) {
        file.exec(`update ${MIGRATIONS_TABLE[one]} set executed_at = null`);
      }
      file.prepare("vacuum into ?").run(empty);
    });
    // As the host opens it, which then has nothing to change.
    withFile(empty, (file) => file.pragma("journal_mode = wal"));
    const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY };
    const draft = `${path}.new`;
    writeFileSync(draft, brotliCompressSync(readFileSync(empty), { params }));
    renameSync(draft, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function withFile(path: string, use: (file: Database.Database) => void): void {
  const file = new Database(path);
  try {
    use(file);
  } finally {
    file.close();
  }
}
