import type { Leases } from "@sealhouse/jobs";
import type { Digest } from "../digest.ts";
import type { GarbageCatalog, Holds } from "../gc/ports.ts";
import type { BlobCatalog, ManifestCatalog } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { ManifestRecords } from "../scrub/check-manifests.ts";
import { createMemoryBlobs } from "./memory-blobs.ts";
import { createMemoryManifests } from "./memory-manifests.ts";
import type { MemoryCatalogOptions, State } from "./memory-state.ts";
import { newState } from "./memory-state.ts";
import { createMemoryMarks } from "./memory-marks.ts";
import { createMemoryReports, createMemoryRuns } from "./memory-runs.ts";
import { createMemorySweeps } from "./memory-sweeps.ts";

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

export function createMemoryHolds({ holds }: State): Holds {
  return {
    async hold(digests, holder, until) {
      const heldDigests =
        holds.get(holder) ?? new Map<(typeof digests)[number], number | undefined>();
      for (const digest of digests) heldDigests.set(digest, until?.getTime());
      holds.set(holder, heldDigests);
    },
    async release(holder) {
      holds.delete(holder);
    },
  };
}

/** Records of the catalog in memory for a check of manifests. */
export function createMemoryRecords(state: State): ManifestRecords {
  return {
    async manifests({ limit, after = 0 }) {
      const all = [...state.repositories].flatMap(([repository, { manifests }]) =>
        [...manifests.values()].map(({ id, manifest }) => {
          return { id, repository, digest: manifest.digest, bytes: manifest.bytes };
        }),
      );
      const rest = all
        .filter(({ id }) => id > after)
        .toSorted((record, other) => record.id - other.id);
      return rest.slice(0, limit);
    },
  };
}

export function createMemoryGarbage(state: State): GarbageCatalog {
  return {
    runs: createMemoryRuns(state),
    marks: createMemoryMarks(state),
    sweeps: createMemorySweeps(state),
    reports: createMemoryReports(state),
  };
}
