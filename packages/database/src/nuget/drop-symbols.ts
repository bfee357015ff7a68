import type { Unit } from "../transactions/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";

const FILES: Statement = {
  name: "nuget-symbol-blobs",
  sql: `select f.blob_id from nuget_symbol_packages s
    join nuget_symbol_files f on f.symbol_package_id = s.id where s.version_id = ?
    union select s.blob_id from nuget_symbol_packages s where s.version_id = ?`,
};
const DROP_FILES: Statement = {
  name: "nuget-symbol-files-drop",
  sql: `delete from nuget_symbol_files where symbol_package_id in
    (select id from nuget_symbol_packages where version_id = ?)`,
};
const DROP_PACKAGE: Statement = {
  name: "nuget-symbol-package-drop",
  sql: "delete from nuget_symbol_packages where version_id = ?",
};

/** Forgets the symbols of a version. Gives the blobs they named, for `releaseBlobs`. */
export async function dropSymbols(
  { read, run }: Unit,
  versionId: number,
): Promise<readonly number[]> {
  const blobs = await read(FILES, [versionId, versionId]);
  if (blobs.length === 0) return [];
  await run(DROP_FILES, [versionId]);
  await run(DROP_PACKAGE, [versionId]);
  return blobs.map((row) => numberOf(row, "blob_id"));
}
