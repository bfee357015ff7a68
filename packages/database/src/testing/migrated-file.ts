import { copyFile } from "node:fs/promises";
import { EMPTY_FILE } from "../schema/sqlite-file.ts";

/** Copies the empty and migrated SQLite file of the build to `path`. */
export async function copyMigratedSqlite(path: string): Promise<void> {
  await copyFile(EMPTY_FILE, path);
}
