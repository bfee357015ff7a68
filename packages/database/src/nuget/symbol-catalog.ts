import type { StoredSymbolFile, SymbolCatalog } from "@sealhouse/nuget-protocol";
import { sha256Of } from "../blobs/digest.ts";
import type { Changes } from "../transactions/changes.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";
import { createSymbolRecorder } from "./symbol-recorder.ts";

/** More packages never contain the same build, except in an abuse. */
const CANDIDATES_MAX = 100;

// Oldest first, so that no publisher can override a file that is already served.
const FIND: Statement = {
  name: "nuget-symbol-find",
  sql: `select f.file_name, f.symbol_key, f.checksum, b.storage_key, b.size, b.digest,
      p.lower_id, v.lower_version
    from nuget_symbol_files f
    join nuget_symbol_packages s on s.id = f.symbol_package_id
    join nuget_versions v on v.id = s.version_id
    join nuget_packages p on p.id = v.package_id
    join blobs b on b.id = f.blob_id
    where f.symbol_key = ? and f.file_name = ? and b.state = 'live' and b.damaged_at is null
    order by f.id limit ${CANDIDATES_MAX}`,
};
const FIND_PACKAGE: Statement = {
  name: "nuget-symbol-package-find",
  sql: `select b.storage_key, b.size, b.digest
    from nuget_packages p
    join nuget_versions v on v.package_id = p.id
    join nuget_symbol_packages s on s.version_id = v.id
    join blobs b on b.id = s.blob_id
    where p.lower_id = ? and v.lower_version = ? and b.state = 'live' and b.damaged_at is null`,
};

export function createSymbolCatalog(port: QueryPort, changes: Changes): SymbolCatalog {
  return {
    ...createSymbolRecorder(changes),
    find: async (fileName, symbolKey) =>
      (await port.all(FIND, [symbolKey, fileName])).map(storedOf),
    async findPackage(id, version) {
      const row = await port.one(FIND_PACKAGE, [id, version]);
      return row && blobOf(row);
    },
  };
}

function storedOf(row: Row): StoredSymbolFile {
  return {
    id: textOf(row, "lower_id"),
    version: textOf(row, "lower_version"),
    fileName: textOf(row, "file_name"),
    symbolKey: textOf(row, "symbol_key"),
    checksum: textOf(row, "checksum"),
    blob: blobOf(row),
  };
}

function blobOf(row: Row): StoredSymbolFile["blob"] {
  const [key, size] = [textOf(row, "storage_key"), numberOf(row, "size")];
  return { key, size, sha256: sha256Of(textOf(row, "digest")) };
}
