import type { Caller } from "@sealhouse/request-types";
import type { NamedBlob, NewSymbolPackage, SymbolCatalog } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { nameBlob } from "../blobs/name-blob.ts";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { NuGetSymbolFile, NuGetSymbolPackage } from "../entities/nuget-symbols.ts";
import { storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";
import { dropSymbols } from "./drop-symbols.ts";

export type SymbolRecorder = Pick<SymbolCatalog, "record">;

const VERSION: Statement = {
  name: "nuget-version-for-symbols",
  sql: `select v.id, v.display_id, v.version
    from nuget_packages p join nuget_versions v on v.package_id = p.id
    where p.lower_id = ? and v.lower_version = ?`,
};

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
    const symbolPackage = await unit.catalog.insert(NuGetSymbolPackage, {
      version: found.id,
      blob: named.idOf(blob),
      uploadedAt: now,
      uploadedBy: storableText(caller.actor),
    });
    const rows = files.map(({ fileName, symbolKey, checksum, ...file }) => ({
      symbolPackage,
      fileName,
      symbolKey,
      checksum,
      blob: named.idOf(file.blob),
    }));
    if (rows.length > 0) await unit.catalog.insertMany(NuGetSymbolFile, rows);
    await releaseBlobs(unit, former);
    const subject = `nuget/${found.displayId}@${found.version}`;
    const detail = { size: blob.size, sha256: blob.sha256, files: files.length };
    await changes.event(unit, { type: "symbols.published", subject, caller, detail });
    return { status: "recorded", surplus: named.surplus };
  });
}

async function findVersion({ read }: Unit, id: string, version: string) {
  const [row] = await read(VERSION, [id, version]);
  return (
    row && {
      id: numberOf(row, "id"),
      displayId: textOf(row, "display_id"),
      version: textOf(row, "version"),
    }
  );
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
