import type { Caller } from "@sealhouse/request-types";
import type { NamedBlob, NewSymbolPackage, SymbolCatalog } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { nameBlob } from "../blobs/name-blob.ts";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { dropSymbols } from "./drop-symbols.ts";

export type SymbolRecorder = Pick<SymbolCatalog, "record">;

const VERSION = defineStatement(
  "nuget-version-for-symbols",
  { lowerId: param.text(128), lowerVersion: param.text(256) },
  (db, { lowerId, lowerVersion }) =>
    db
      .selectFrom("nuget_packages as p")
      .innerJoin("nuget_versions as v", "v.package_id", "p.id")
      .where("p.lower_id", "=", lowerId)
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
  (db, { versionId, blobId, uploadedAt, uploadedBy }) =>
    db.insertInto("nuget_symbol_packages").values({
      version_id: versionId,
      blob_id: blobId,
      uploaded_at: uploadedAt,
      uploaded_by: uploadedBy,
    }),
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
  (db, { symbolPackageId, fileName, symbolKey, checksum, blobId }) =>
    db.insertInto("nuget_symbol_files").values({
      symbol_package_id: symbolPackageId,
      file_name: fileName,
      symbol_key: symbolKey,
      checksum,
      blob_id: blobId,
    }),
);

export function createSymbolRecorder(changes: Changes): SymbolRecorder {
  return { record: (symbols, caller) => record(changes, symbols, caller) };
}

type Recorded = Awaited<ReturnType<SymbolRecorder["record"]>>;

function record(changes: Changes, given: NewSymbolPackage, caller: Caller): Promise<Recorded> {
  const { id, version, blob, files } = given;
  return changes.transaction(async (unit) => {
    if (!(await findVersion(unit, id, version))) return { status: "absent" };
    // No document shows symbols; it is the lock that all changes of a package take.
    await changes.stale(unit, `nuget/${id}`);
    const found = await findVersion(unit, id, version);
    if (!found) return { status: "absent" };
    const now = changes.now();
    const named = await nameBlobs(unit, [blob, ...files.map((file) => file.blob)], now);
    const former = await dropSymbols(unit, found.id);
    await unit.queries.run(INSERT_PACKAGE, {
      versionId: found.id,
      blobId: named.idOf(blob),
      uploadedAt: now,
      uploadedBy: storableText(caller.actor),
    });
    const inserted = await unit.queries.one(PACKAGE, { versionId: found.id });
    if (!inserted) throw new Error(`the symbols of ${id} ${version} have no row`);
    for (const { fileName, symbolKey, checksum, ...file } of files) {
      const row = { fileName, symbolKey, checksum, blobId: named.idOf(file.blob) };
      await unit.queries.run(INSERT_FILE, { symbolPackageId: inserted.id, ...row });
    }
    await releaseBlobs(unit, former);
    const subject = `nuget/${found.display_id}@${found.version}`;
    const detail = { size: blob.size, sha256: blob.sha256, files: files.length };
    await changes.event(unit, { type: "symbols.published", subject, caller, detail });
    return { status: "recorded", surplus: named.surplus };
  });
}

function findVersion({ queries }: Unit, lowerId: string, lowerVersion: string) {
  return queries.one(VERSION, { lowerId, lowerVersion });
}

/** Locks in one order, so that two uploads with the same files do not wait for each other. */
async function nameBlobs(unit: Unit, blobs: readonly NamedBlob[], now: Date) {
  const ids = new Map<string, number>();
  const surplus: string[] = [];
  const ordered = blobs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const { key, size, sha256 } of ordered) {
    const digest = digestOfSha256(sha256);
    const named = await nameBlob(unit, { protocol: "nuget", digest, key, size }, now);
    ids.set(sha256, named.id);
    if (named.surplus) surplus.push(key);
  }
  const idOf = ({ sha256 }: NamedBlob): number => {
    const id = ids.get(sha256);
    if (id === undefined) throw new TypeError(`the blob ${sha256} has no row`);
    return id;
  };
  return { surplus, idOf };
}
