import type { Leases } from "@sealhouse/jobs";
import type { Digest } from "../digest.ts";
import type { GarbageCatalog, Holds } from "../gc/ports.ts";
import type { BlobCatalog, ManifestCatalog } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { ManifestRecords } from "../scrub/check-manifests.ts";
import { createMemoryBlobs } from "./memory-blobs.ts";
import { createMemoryGarbage } from "./memory-garbage.ts";
import { createMemoryHolds } from "./memory-holds.ts";
import { createMemoryManifests } from "./memory-manifests.ts";
import { createMemoryRecords } from "./memory-records.ts";
import type { MemoryCatalogOptions, State } from "./memory-state.ts";
import { newState } from "./memory-state.ts";

export type MemoryCatalog = {
  readonly blobs: BlobCatalog;
  readonly manifests: ManifestCatalog;
  readonly garbage: GarbageCatalog;
  readonly holds: Holds;
  readonly leases: Leases;
  readonly records: ManifestRecords;
  /** Deletes a manifest or a link without an operation of the registry: damage. */
  readonly lose: (repository: RepositoryName, digest: Digest) => Promise<void>;
  /** One line per change, in order: what a real catalog writes to its outbox. */
  readonly events: readonly string[];
  /** The current state, for inspection. */
  readonly state: Pick<State, "blobs" | "repositories" | "now">;
};

/** Blobs and manifests in maps. Every change happens between two awaits, so it is atomic. */
export function createMemoryCatalog(options: MemoryCatalogOptions = {}): MemoryCatalog {
  const state = newState(options);
  return {
    blobs: createMemoryBlobs(state),
    manifests: createMemoryManifests(state),
    garbage: createMemoryGarbage(state),
    holds: createMemoryHolds(state),
    leases: state.leases,
    records: createMemoryRecords(state),
    async lose(name, digest) {
      const repository = state.repositories.get(name);
      repository?.manifests.delete(digest);
      repository?.links.delete(digest);
    },
    events: state.events,
    state,
  };
}
