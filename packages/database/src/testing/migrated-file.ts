import { writeFile } from "node:fs/promises";
import { readEmptyFile } from "../schema/sqlite-file.ts";

let empty: Promise<Buffer> | undefined;

/** Writes the empty and migrated SQLite file of the build to `path`. */
export async function copyMigratedSqlite(path: string): Promise<void> {
  empty ??= readEmptyFile();
  await writeFile(path, await empty);
}
