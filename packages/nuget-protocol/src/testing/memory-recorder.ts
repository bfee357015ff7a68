import type { Caller } from "@sealhouse/request-types";
import type { NewPackage, PackageRecorder } from "../ports.ts";
import type { MemoryRows, Row } from "./memory-row.ts";
import { rowKey, staleAfter } from "./memory-row.ts";

/** The recorder over the rows of the memory catalog. */
export function createMemoryRecorder(rows: MemoryRows): PackageRecorder {
  return {
    async record(version, caller, { overwrite = false } = {}) {
      const key = rowKey(version.id, version.version);
      const old = rows.versions.get(key);
      if (old && !overwrite) return { status: "exists" };
      const tombstone = rows.tombstones.get(key);
      if (tombstone) return { status: "tombstone", deletedAt: tombstone.deletedAt };
      const twin = [...rows.versions.values()].find(
        ({ blob }) => blob.sha256 === version.blob.sha256,
      );
      const blob = twin?.blob ?? version.blob;
      rows.versions.set(key, rowOf({ ...version, blob }, old, caller));
      addOwner(rows, version.id, caller.actor);
      if (old) for (const gone of rows.bytesGone) gone(key);
      staleAfter(rows, version.id);
      const isDuplicate = blob.key !== version.blob.key;
      return { status: "recorded", isDuplicate, replaced: old !== undefined };
    },
    async setListed(id, version, listed) {
      const key = rowKey(id, version);
      const row = rows.versions.get(key);
      if (!row) return "absent";
      if (row.listed === listed) return "unchanged";
      rows.versions.set(key, { ...row, listed });
      staleAfter(rows, id);
      return "changed";
    },
  };
}

function rowOf(pushedPackage: NewPackage, old: Row | undefined, { actor }: Caller): Row {
  const { deprecation: first, ...content } = pushedPackage;
  const deprecation = old ? old.deprecation : first;
  return {
    ...content,
    listed: old?.listed ?? pushedPackage.listed ?? true,
    publishedAt: old?.publishedAt ?? pushedPackage.publishedAt,
    downloads: old?.downloads ?? 0,
    origin: pushedPackage.origin ?? "Published",
    publishedBy: actor,
    size: pushedPackage.blob.size,
    ...(deprecation && { deprecation }),
  };
}

function addOwner({ owners }: MemoryRows, id: string, actor: string): void {
  const packageOwners = owners.get(id.toLowerCase()) ?? [];
  if (!packageOwners.includes(actor)) owners.set(id.toLowerCase(), [...packageOwners, actor]);
}
