import type { BlobRecord, BlobRecords } from "../scrub/ports.ts";
import type { BlobRow, State } from "./memory-state.ts";

/** What a check asks of the catalog in memory. */
export function createMemoryRecords(state: State): BlobRecords {
  const live = () =>
    [...state.blobs.values()]
      .filter((row) => row.state === "live")
      .toSorted((one, other) => one.id - other.id);
  const asSeen = ({ digest, key }: BlobRecord): BlobRow | undefined => {
    const row = state.blobs.get(digest);
    return row?.state === "live" && row.key === key ? row : undefined;
  };
  const restore = (row: BlobRow): void => {
    if (row.damagedAt) state.events.push(`restored ${row.digest}`);
    Object.assign(row, { verifiedAt: new Date(state.now()), damagedAt: undefined });
  };
  return {
    async blobs({ limit, after = 0 }) {
      const rest = live().filter(({ id }) => id > after);
      return rest.slice(0, limit).map(recordOf);
    },
    async unverified({ before, upTo, limit, after }) {
      const times = (row: Pick<BlobRecord, "id" | "verifiedAt">) =>
        [row.verifiedAt?.getTime() ?? -1, row.id] as const;
      const rest = live()
        .filter(({ id, verifiedAt }) => id <= upTo && (!verifiedAt || verifiedAt < before))
        .map(recordOf)
        .filter((row) => !after || isLater(times(row), times(after)));
      return rest
        .toSorted((one, other) => (isLater(times(one), times(other)) ? 1 : -1))
        .slice(0, limit);
    },
    async manifests({ limit, after = 0 }) {
      const all = [...state.repositories].flatMap(([repository, { manifests }]) =>
        [...manifests.values()].map(({ id, manifest }) => {
          return { id, repository, digest: manifest.digest, bytes: manifest.bytes };
        }),
      );
      const rest = all.filter(({ id }) => id > after).toSorted((one, other) => one.id - other.id);
      return rest.slice(0, limit);
    },
    async markVerified(blob) {
      const row = asSeen(blob);
      if (row) restore(row);
    },
    async markDamaged(blob, problem) {
      const row = asSeen(blob);
      if (!row) return undefined;
      if (!row.damagedAt) state.events.push(`damaged ${row.digest} ${problem}`);
      row.damagedAt ??= new Date(state.now());
      const having = [...state.repositories].filter(([, { links }]) => links.has(row.digest));
      return having.map(([name]) => name).toSorted();
    },
    async replaceKey(blob, key) {
      const row = asSeen(blob);
      if (!row) return false;
      row.key = key;
      restore(row);
      return true;
    },
  };
}

function isLater(one: readonly [number, number], other: readonly [number, number]): boolean {
  return one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];
}

function recordOf({ id, digest, size, key, verifiedAt, damagedAt }: BlobRow): BlobRecord {
  const known = { ...(verifiedAt && { verifiedAt }), ...(damagedAt && { damagedAt }) };
  return { id, digest, size, key, ...known };
}
