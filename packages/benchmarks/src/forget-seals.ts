import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Marks every version of a stopped host as not downloaded yet. */
export function forgetSeals(data: string): void {
  for (const name of globSync("*.db", { cwd: data })) {
    using database = openDatabase(join(data, name));
    database.run(
      `update nuget_versions set seal_plan = null, seal_fingerprint = null, seal_size = null,
        seal_signed_at = null, seal_sha256 = null, seal_sha512 = null`,
    );
  }
}

function openDatabase(path: string): Disposable & { run(sql: string): void } {
  const database = new DatabaseSync(path);
  return { run: (sql) => database.exec(sql), [Symbol.dispose]: () => database.close() };
}
