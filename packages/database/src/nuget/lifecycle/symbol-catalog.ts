import type { Caller } from "@sealhouse/request-types";
import { sql } from "#kysely";
import type {
  NamedBlob,
  NewSymbolPackage,
  StoredSymbolFile,
  SymbolCatalog,
} from "@sealhouse/nuget-protocol";
import { digestOfSha256, sha256Of } from "../../blobs/digest.ts";
import { nameBlob } from "../../blobs/name-blob.ts";
import { releaseBlobs } from "../../blobs/release-blobs.ts";
import type { PortContext } from "../../port-context.ts";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import { storableText } from "../../transactions/changes.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { dropSymbols } from "./drop-symbols.ts";
import { nugetVersions } from "../../statements/versions-of.ts";

/** More packages never contain the same build, except in an abuse. */
const CANDIDATES_MAX = 100;

const NAMES = { lowerId: param.text(128), lowerVersion: param.text(256) };

// Oldest first, so that no publisher can override a file that is already served.
const FIND = defineStatement(
  "nuget-symbol-find",
  { fileName: param.text(255), symbolKey: param.text(64), limit: param.whole },
  (db, { fileName, symbolKey, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_symbol_files as f")
        .innerJoin("nuget_symbol_packages as s", "s.id", "f.symbol_package_id")
        .innerJoin("nuget_versions as v", "v.id", "s.version_id")
        .innerJoin("nuget_packages as p", "p.id", "v.package_id")
        .innerJoin("blobs as b", "b.id", "f.blob_id")
        .where("f.symbol_key", "=", symbolKey)
        .where("f.file_name", "=", fileName)
        .where("b.state", "=", sql.lit("live"))
        .where("b.damaged_at", "is", null)
        .select([
          "f.file_name",
          "f.symbol_key",
          "f.checksum",
          "b.storage_key",
          "b.size",
          "b.digest",
          "p.lower_id",
          "v.lower_version",
        ])
        .orderBy("f.id"),
      limit,
    ),
);
const FIND_PACKAGE = defineStatement(
  "nuget-symbol-package-find",
  NAMES,
  (db, { lowerId, lowerVersion }) =>
    nugetVersions(db, lowerId)
      .innerJoin("nuget_symbol_packages as s", "s.version_id", "v.id")
      .innerJoin("blobs as b", "b.id", "s.blob_id")
      .where("v.lower_version", "=", lowerVersion)
      .where("b.state", "=", sql.lit("live"))
      .where("b.damaged_at", "is", null)
      .select(["b.storage_key", "b.size", "b.digest"]),
);
const VERSION = defineStatement(
  "nuget-version-for-symbols",
  NAMES,
  (db, { lowerId, lowerVersion }) =>
    nugetVersions(db, lowerId)
      .where("v.lower_version", "=", lowerVersion)
      .select(["v.id", "v.display_id", "v.version"]),
);
const INSERT_PACKAGE = defineStatement(
  "nuget-symbol-package-insert",
  {
    versionId: param.whole,
    blobId: param.whole,
    uploadedAt: param.time,
    uploadedBy: param.longText,
  },
  (db, parameters) => db.insertInto("nuget_symbol_packages").values(inColumns(parameters)),
);
const PACKAGE = defineStatement(
  "nuget-symbol-package-inserted",
  { versionId: param.whole },
  (db, { versionId }) =>
    db.selectFrom("nuget_symbol_packages").where("version_id", "=", versionId).select("id"),
);
const INSERT_FILE = defineStatement(
  "nuget-symbol-file-insert",
  {
    symbolPackageId: param.whole,
    fileName: param.text(255),
    symbolKey: param.text(64),
    checksum: param.text(64),
    blobId: param.whole,
  },
  (db, parameters) => db.insertInto("nuget_symbol_files").values(inColumns(parameters)),
);

export function createSymbolCatalog({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): SymbolCatalog {
  return {
    record: (symbols, caller) => record(changes, symbols, caller),
    async find(fileName, symbolKey) {
      const rows = await queries.all(FIND, { fileName, symbolKey, limit: CANDIDATES_MAX });
      return rows.map(storedOf);
    },
    async findPackage(id, version) {
      const row = await queries.one(FIND_PACKAGE, { lowerId: id, lowerVersion: version });
      return row && blobOf(row);
    },
  };
}

function storedOf(row: RowOf<typeof FIND>): StoredSymbolFile {
  return {
    id: row.lower_id,
    version: row.lower_version,
    fileName: row.file_name,
    symbolKey: row.symbol_key,
    checksum: row.checksum,
    blob: blobOf(row),
  };
}

function blobOf(row: RowOf<typeof FIND_PACKAGE>): StoredSymbolFile["blob"] {
  return { key: row.storage_key, size: row.size, sha256: sha256Of(row.digest) };
}

type Recorded = Awaited<ReturnType<SymbolCatalog["record"]>>;

function record(
  changes: Changes,
  symbolPackage: NewSymbolPackage,
  caller: Caller,
): Promise<Recorded> {
  const { id, version, blob, files } = symbolPackage;
  return changes.transaction(async (unit) => {
    if (!(await findVersion(unit, id, version))) return { status: "absent" };
    // No document shows symbols; it is the lock that all changes of a package take.
    await changes.stale(unit, `nuget/${id}`);
    const storedVersion = await findVersion(unit, id, version);
    if (!storedVersion) return { status: "absent" };
    const now = changes.now();
    const namedBlobs = await nameBlobs(unit, [blob, ...files.map((file) => file.blob)], now);
    const former = await dropSymbols(unit, storedVersion.id);
    await unit.queries.run(INSERT_PACKAGE, {
      versionId: storedVersion.id,
      blobId: namedBlobs.idOf(blob),
      uploadedAt: now,
      uploadedBy: storableText(caller.actor),
    });
    const inserted = await unit.queries.one(PACKAGE, { versionId: storedVersion.id });
    if (!inserted) throw new Error(`the symbols of ${id} ${version} have no row`);
    for (const { fileName, symbolKey, checksum, ...file } of files) {
      const row = { fileName, symbolKey, checksum, blobId: namedBlobs.idOf(file.blob) };
      await unit.queries.run(INSERT_FILE, { symbolPackageId: inserted.id, ...row });
    }
    await releaseBlobs(unit, former);
    const subject = `nuget/${storedVersion.display_id}@${storedVersion.version}`;
    const detail = { size: blob.size, sha256: blob.sha256, files: files.length };
    await changes.event(unit, { type: "symbols.published", subject, caller, detail });
    return { status: "recorded", duplicates: namedBlobs.duplicates };
  });
}

function findVersion({ queries }: Unit, lowerId: string, lowerVersion: string) {
  return queries.one(VERSION, { lowerId, lowerVersion });
}

/** Locks in one order, so that two uploads with the same files do not wait for each other. */
async function nameBlobs(unit: Unit, blobs: readonly NamedBlob[], now: Date) {
  const ids = new Map<string, number>();
  const duplicates: string[] = [];
  const ordered = blobs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const { key, size, sha256 } of ordered) {
    const digest = digestOfSha256(sha256);
    const namedBlob = await nameBlob(unit, { protocol: "nuget", digest, key, size }, now);
    ids.set(sha256, namedBlob.id);
    if (namedBlob.isDuplicate) duplicates.push(key);
  }
  const idOf = ({ sha256 }: NamedBlob): number => {
    const id = ids.get(sha256);
    if (id === undefined) throw new TypeError(`the blob ${sha256} has no row`);
    return id;
  };
  return { duplicates, idOf };
}
