import { compareVersionTexts } from "../notation/package-version.ts";
import type { PackageLifecycle } from "../ports.ts";
import type { Deprecation } from "../stored-package.ts";
import type { MemoryRows, Row } from "./memory-row.ts";
import { rowKey, staleAfter } from "./memory-row.ts";

/** Changes to published versions, over the rows of the memory catalog. */
export function createMemoryLifecycle(rows: MemoryRows): PackageLifecycle {
  const { versions, tombstones } = rows;
  return {
    async delete(id, version, { actor: deletedBy }) {
      const key = rowKey(id, version);
      const row = versions.get(key);
      if (!row) return "absent";
      versions.delete(key);
      const { sha256 } = row.blob;
      const identity = { id: row.id, version: row.version };
      tombstones.set(key, { ...identity, sha256, deletedAt: new Date(), deletedBy });
      for (const gone of rows.bytesGone) gone(key);
      staleAfter(rows, id);
      return "deleted";
    },
    async deprecate(id, requestedVersions, deprecation) {
      const own = [...versions.values()].filter((row) => row.id.toLowerCase() === id.toLowerCase());
      const names =
        requestedVersions === "all"
          ? undefined
          : new Set(requestedVersions.map((version) => version.toLowerCase()));
      const matches = own.filter((row) => names?.has(row.version.toLowerCase()) ?? true);
      if (own.length === 0 || (names && matches.length !== names.size)) return undefined;
      const changing = matches.filter((row) => !isSame(row.deprecation, deprecation));
      for (const row of changing) {
        versions.set(rowKey(row.id, row.version), deprecated(row, deprecation));
      }
      if (changing.length > 0) staleAfter(rows, id);
      return changing.map(({ version }) => version);
    },
    async tombstones(id) {
      return [...tombstones.values()]
        .filter((tombstone) => tombstone.id.toLowerCase() === id.toLowerCase())
        .toSorted((tombstone, other) => compareVersionTexts(tombstone.version, other.version));
    },
    async allowReuse(id, version) {
      return tombstones.delete(rowKey(id, version)) ? "allowed" : "absent";
    },
  };
}

function deprecated(row: Row, deprecation: Deprecation | undefined): Row {
  const { deprecation: _before, ...rest } = row;
  return { ...rest, ...(deprecation && { deprecation }) };
}

function isSame(deprecation: Deprecation | undefined, other: Deprecation | undefined): boolean {
  return JSON.stringify(deprecation) === JSON.stringify(other);
}
