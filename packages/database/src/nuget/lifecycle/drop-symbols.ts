import type { Unit } from "../../transactions/unit-of-work.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";

const VERSION = { versionId: param.whole };

const BLOBS = defineStatement("nuget-symbol-blobs", VERSION, (db, { versionId }) =>
  db
    .selectFrom("nuget_symbol_packages as s")
    .innerJoin("nuget_symbol_files as f", "f.symbol_package_id", "s.id")
    .where("s.version_id", "=", versionId)
    .select("f.blob_id")
    .union(
      db
        .selectFrom("nuget_symbol_packages as s")
        .where("s.version_id", "=", versionId)
        .select("s.blob_id"),
    ),
);
const DROP_FILES = defineStatement("nuget-symbol-files-drop", VERSION, (db, { versionId }) =>
  db
    .deleteFrom("nuget_symbol_files")
    .where("symbol_package_id", "in", (file) =>
      file.selectFrom("nuget_symbol_packages").where("version_id", "=", versionId).select("id"),
    ),
);
const DROP_PACKAGE = defineStatement("nuget-symbol-package-drop", VERSION, (db, { versionId }) =>
  db.deleteFrom("nuget_symbol_packages").where("version_id", "=", versionId),
);

/** Forgets the symbols of a version. Gives the blobs they named, for `releaseBlobs`. */
export async function dropSymbols(
  { queries }: Pick<Unit, "queries">,
  versionId: number,
): Promise<readonly number[]> {
  const blobs = await queries.all(BLOBS, { versionId });
  if (blobs.length === 0) return [];
  await queries.run(DROP_FILES, { versionId });
  await queries.run(DROP_PACKAGE, { versionId });
  return blobs.map((row) => row.blob_id);
}
