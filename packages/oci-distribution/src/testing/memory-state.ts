import { createMemoryLeases } from "@sealhouse/jobs/testing";
import type { MemoryLeases } from "@sealhouse/jobs/testing";
import type {
  BlobCandidate,
  LinkCandidate,
  ManifestCandidate,
  NewRun,
  RunEnd,
} from "../gc/ports.ts";
import type { Digest } from "../digest.ts";
import type { ManifestEdge, NewManifest } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

/**
 * Deliberate faults of a catalog: rules R1, R2 and R6 of the collector, and the generation of an
 * object's key. For tests that must detect them.
 */
export type CatalogFlaw = "no-touch" | "no-lock" | "no-recheck" | "no-generation";

export type MemoryCatalogOptions = {
  /** Milliseconds since 1970; the system's clock when left out. */
  readonly now?: () => number;
  /** Milliseconds within which a clock is not moved again. Zero by default. */
  readonly clockThresholdMs?: number;
  readonly flaw?: CatalogFlaw;
  /** Where a catalog without locks lets others in. */
  readonly pause?: () => Promise<void>;
};

export type BlobRow = {
  readonly id: number;
  readonly digest: Digest;
  readonly size: number;
  key: string;
  state: "live" | "deleting" | "delete-failed";
  touchedAt: number;
  verifiedAt?: Date | undefined;
  /** Its object is missing or changed. */
  damagedAt?: Date | undefined;
};

export type ManifestRow = {
  readonly id: number;
  readonly manifest: NewManifest;
  edges: readonly ManifestEdge[];
  touchedAt: number;
};

export type TagRow = {
  readonly digest: Digest;
  /** A tag on this digest is not a root. */
  readonly subject: Digest | undefined;
};

export type MemoryRepository = {
  /** When each was made, or made again. */
  readonly links: Map<Digest, number>;
  readonly manifests: Map<Digest, ManifestRow>;
  readonly tags: Map<string, TagRow>;
  /** Whether it has or had a manifest. */
  isPublished: boolean;
};

export type RunRow = {
  readonly run: NewRun;
  manifests: ManifestCandidate[];
  links: LinkCandidate[];
  blobs: BlobCandidate[];
  end?: RunEnd;
};

/** Every change happens between two awaits, so it is atomic. */
export type State = {
  readonly blobs: Map<Digest, BlobRow>;
  readonly repositories: Map<RepositoryName, MemoryRepository>;
  /** By holder, then by digest; undefined for no expiry. */
  readonly holds: Map<string, Map<Digest, number | undefined>>;
  readonly leases: MemoryLeases;
  readonly runs: Map<string, RunRow>;
  readonly events: string[];
  readonly now: () => number;
  readonly flaw: CatalogFlaw | undefined;
  readonly pause: () => Promise<void>;
  /** Moves a row's clock, unless that was done a moment ago (rule R1). */
  readonly touch: (row: { touchedAt: number }) => void;
  readonly newId: () => number;
};

export function newState(options: MemoryCatalogOptions): State {
  const { now = Date.now, clockThresholdMs = 0, flaw, pause = async () => {} } = options;
  let ids = 0;
  return {
    blobs: new Map(),
    repositories: new Map(),
    holds: new Map(),
    leases: createMemoryLeases(now),
    runs: new Map(),
    events: [],
    now,
    flaw,
    pause,
    touch(row) {
      if (flaw !== "no-touch" && now() - row.touchedAt >= clockThresholdMs) row.touchedAt = now();
    },
    newId: () => (ids += 1),
  };
}

export function openRepository(state: State, name: RepositoryName): MemoryRepository {
  const knownRepository = state.repositories.get(name);
  if (knownRepository) return knownRepository;
  const repository = {
    links: new Map(),
    manifests: new Map(),
    tags: new Map(),
    isPublished: false,
  };
  state.repositories.set(name, repository);
  return repository;
}

/** A blob that is being deleted, or is damaged, is absent for all requests (rule R7). */
export function liveBlob(state: State, digest: Digest): BlobRow | undefined {
  const blob = state.blobs.get(digest);
  return blob?.state === "live" && !blob.damagedAt ? blob : undefined;
}

export function linkedBlob(
  state: State,
  repository: MemoryRepository | undefined,
  digest: Digest,
): BlobRow | undefined {
  return repository?.links.has(digest) ? liveBlob(state, digest) : undefined;
}
