import type { Digest } from "../digest.ts";
import type { BlobCatalog, NewBlob } from "../ports.ts";
import { isHeld } from "./memory-reachability.ts";
import type { BlobRow, MemoryRepository, State } from "./memory-state.ts";
import { linkedBlob, liveBlob, openRepository } from "./memory-state.ts";

export function createMemoryBlobs(state: State): BlobCatalog {
  return {
    async find(repository, digest) {
      const blob = linkedBlob(state, state.repositories.get(repository), digest);
      if (!blob) return undefined;
      state.touch(blob);
      return { key: blob.key, size: blob.size };
    },
    async isKnown(digest) {
      const isLinked = state.repositories.values().some(({ links }) => links.has(digest));
      return isLinked && liveBlob(state, digest) !== undefined;
    },
    async link(repository, blob) {
      const row = nameBlob(state, blob);
      openRepository(state, repository).links.set(blob.digest, state.now());
      return { isDuplicate: row.key !== blob.key };
    },
    async mount(repository, digest, from) {
      const blob = liveBlob(state, digest);
      const sources = from.repository ? [from.repository] : state.repositories.keys();
      for (const source of sources) {
        const linked = state.repositories.get(source)?.links.has(digest);
        if (!blob || !linked || !from.mayPull(source)) continue;
        state.touch(blob);
        openRepository(state, repository).links.set(digest, state.now());
        return true;
      }
      return false;
    },
    async unlink(name, digest) {
      const repository = state.repositories.get(name);
      if (!repository?.links.has(digest)) return "absent";
      if (state.blobs.get(digest)?.state !== "live") return "absent";
      if (isReferenced(repository, digest)) return "referenced";
      if (isHeld(state, digest)) return "held";
      repository.links.delete(digest);
      return "unlinked";
    },
  };
}

export function isReferenced({ manifests }: MemoryRepository, digest: Digest): boolean {
  for (const { edges } of manifests.values()) {
    if (edges.some((edge) => edge.digest === digest)) return true;
  }
  return false;
}

/**
 * A blob that is being deleted, or is damaged, counts as absent: it gets the new object, and its
 * key.
 */
function nameBlob(state: State, { digest, key, size }: NewBlob): BlobRow {
  const knownRow = state.blobs.get(digest);
  if (!knownRow) {
    const id = state.newId();
    const row: BlobRow = { id, digest, key, size, state: "live", touchedAt: state.now() };
    state.blobs.set(digest, row);
    return row;
  }
  const isSound = knownRow.state === "live" && !knownRow.damagedAt;
  if (!isSound && state.flaw !== "no-generation") knownRow.key = key;
  if (!isSound) Object.assign(knownRow, { verifiedAt: undefined, damagedAt: undefined });
  knownRow.state = "live";
  state.touch(knownRow);
  return knownRow;
}
