import type { Digest } from "../../digest.ts";
import { subjectOfTag } from "../../attached-tag.ts";
import type { NewManifest } from "../../ports.ts";
import type { RepositoryName } from "../../repository-name.ts";

/** The registry broke a promise. */
export class Violation extends Error {
  override name = "Violation";
}

type Names<Name> = { readonly has: (name: Name) => boolean; readonly keys: () => Iterable<Name> };

/** The state of a registry at one instant, read without a request. */
export type Inventory = {
  readonly repositories: ReadonlyMap<
    RepositoryName,
    { readonly manifests: Names<Digest>; readonly links: Names<Digest> }
  >;
  readonly blobs: ReadonlyMap<Digest, { readonly key: string; readonly state: string }>;
  /** By key. */
  readonly objects: Names<string>;
};

type BlobState = {
  readonly manifest: Pick<NewManifest, "digest" | "edges" | "subject">;
  /** Children that a client deleted by their digests. */
  readonly sparse: Set<Digest>;
  promisedAt: number;
};

type Repository = {
  readonly manifests: Map<Digest, BlobState>;
  readonly tags: Map<string, Digest>;
  /** Blobs, by when a positive answer last promised them. */
  readonly blobs: Map<Digest, number>;
};

/**
 * Knows nothing of the registry's implementation: it observes requests and answers, derives the
 * required state, and compares.
 */
export class Oracle {
  readonly repositories = new Map<RepositoryName, Repository>();
  readonly #now: () => number;
  readonly #minimumAgeMs: number;
  readonly #holds = new Map<string, { readonly digest: Digest; readonly until: number }>();

  constructor(now: () => number, minimumAgeMs: number) {
    this.#now = now;
    this.#minimumAgeMs = minimumAgeMs;
  }

  recorded({ repository, digest, edges, subject, tags }: NewManifest): void {
    const { manifests, blobs, tags: currentTags } = this.#of(repository);
    const manifest = { digest, edges, ...(subject !== undefined && { subject }) };
    const before = manifests.get(digest);
    if (before) before.promisedAt = this.#now();
    else manifests.set(digest, { manifest, sparse: new Set(), promisedAt: this.#now() });
    for (const edge of edges) if (blobs.has(edge.digest)) blobs.set(edge.digest, this.#now());
    for (const tag of tags) {
      const lost = currentTags.get(tag);
      if (lost !== undefined && lost !== digest) this.foundManifest(repository, lost);
      currentTags.set(tag, digest);
    }
  }

  foundManifest(repository: RepositoryName, digest: Digest): void {
    const knownManifest = this.#of(repository).manifests.get(digest);
    if (knownManifest) knownManifest.promisedAt = this.#now();
  }

  deletedTag(repository: RepositoryName, tag: string): void {
    const { tags } = this.#of(repository);
    const lost = tags.get(tag);
    tags.delete(tag);
    if (lost !== undefined) this.foundManifest(repository, lost);
  }

  deletedManifest(repository: RepositoryName, digest: Digest): void {
    const { manifests, tags } = this.#of(repository);
    manifests.delete(digest);
    for (const [tag, target] of tags) if (target === digest) tags.delete(tag);
    for (const { manifest, sparse } of manifests.values()) {
      if (manifest.edges.some((edge) => edge.digest === digest)) sparse.add(digest);
    }
  }

  promisedBlob(repository: RepositoryName, digest: Digest): void {
    this.#of(repository).blobs.set(digest, this.#now());
  }

  unlinked(repository: RepositoryName, digest: Digest): void {
    this.#of(repository).blobs.delete(digest);
  }

  held(holder: string, digest: Digest, until: number): void {
    this.#holds.set(holder, { digest, until });
  }

  released(holder: string): void {
    this.#holds.delete(holder);
  }

  /** No MANIFEST_BLOB_UNKNOWN while a positive answer still counts. */
  refused(repository: RepositoryName, missing: readonly Digest[]): void {
    const { blobs, manifests } = this.#of(repository);
    for (const digest of missing) {
      const promisedAt = manifests.get(digest)?.promisedAt ?? blobs.get(digest);
      if (promisedAt !== undefined && this.#isYoung(promisedAt)) {
        throw new Violation(`${repository}@${digest} was promised, and called unknown`);
      }
    }
  }

  isPromised(repository: RepositoryName, digest: Digest): boolean {
    const promisedAt = this.#of(repository).blobs.get(digest);
    return promisedAt !== undefined && this.#isYoung(promisedAt);
  }

  /** Everything that must be there is there, whole. What need not be and is not is forgotten. */
  check(inventory: Inventory): void {
    for (const [name, repository] of this.repositories) {
      const reached = this.reached(name);
      for (const [digest, knownManifest] of repository.manifests) {
        if (reached.has(digest)) checkWhole(inventory, name, knownManifest);
        else if (!hasManifest(inventory, name, digest)) forget(repository, digest);
      }
      for (const [digest, promisedAt] of repository.blobs) {
        if (this.#isYoung(promisedAt)) checkBlob(inventory, name, digest, "was promised");
      }
    }
  }

  /** Rule R3, by the book. */
  reached(name: RepositoryName): ReadonlySet<Digest> {
    const { manifests, tags } = this.#of(name);
    const reached = new Set<Digest>();
    const waiting: Digest[] = [];
    for (const [tag, digest] of tags) {
      if (subjectOfTag(tag) === undefined) waiting.push(digest);
    }
    for (const { digest, until } of this.#holds.values()) {
      if (until > this.#now()) waiting.push(digest);
    }
    for (const [digest, { promisedAt }] of manifests) {
      if (this.#isYoung(promisedAt)) waiting.push(digest);
    }
    for (let digest = waiting.pop(); digest !== undefined; digest = waiting.pop()) {
      const knownManifest = reached.has(digest) ? undefined : manifests.get(digest);
      if (!knownManifest) continue;
      reached.add(digest);
      for (const edge of knownManifest.manifest.edges) waiting.push(edge.digest);
      for (const { manifest } of manifests.values()) {
        if (manifest.subject === digest) waiting.push(manifest.digest);
      }
      for (const [tag, target] of tags) if (subjectOfTag(tag) === digest) waiting.push(target);
    }
    return reached;
  }

  #isYoung(promisedAt: number): boolean {
    return this.#now() - promisedAt <= this.#minimumAgeMs;
  }

  #of(name: RepositoryName): Repository {
    const knownRepository = this.repositories.get(name);
    if (knownRepository) return knownRepository;
    const repository = { manifests: new Map(), tags: new Map(), blobs: new Map() };
    this.repositories.set(name, repository);
    return repository;
  }
}

function checkWhole(
  inventory: Inventory,
  name: RepositoryName,
  { manifest: { digest, edges }, sparse }: BlobState,
): void {
  if (!hasManifest(inventory, name, digest)) throw new Violation(`${name}@${digest} is gone`);
  for (const { kind, digest: needed } of edges) {
    if (kind !== "child") checkBlob(inventory, name, needed, `is needed by ${digest}`);
    else if (!sparse.has(needed) && !hasManifest(inventory, name, needed)) {
      throw new Violation(`${name}@${digest} lost its child ${needed}`);
    }
  }
}

function hasManifest({ repositories }: Inventory, name: RepositoryName, digest: Digest): boolean {
  return repositories.get(name)?.manifests.has(digest) ?? false;
}

function checkBlob(
  { repositories, blobs, objects }: Inventory,
  name: RepositoryName,
  digest: Digest,
  why: string,
): void {
  const blob = repositories.get(name)?.links.has(digest) ? blobs.get(digest) : undefined;
  if (blob?.state !== "live") throw new Violation(`${name}@${digest} ${why}, and is not there`);
  if (objects.has(blob.key)) return;
  throw new Violation(`${name}@${digest} ${why}, and its object ${blob.key} is gone`);
}

function forget({ manifests, tags }: Repository, digest: Digest): void {
  manifests.delete(digest);
  for (const [tag, target] of tags) if (target === digest) tags.delete(tag);
}
