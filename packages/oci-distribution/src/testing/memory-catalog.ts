import type { Digest } from "../digest.ts";
import { isDigest } from "../digest.ts";
import { MAX_INDEX_DEPTH } from "../manifest/manifest.ts";
import type {
  BlobCatalog,
  ManifestCatalog,
  ManifestEdge,
  NewManifest,
  Page,
  StoredBlob,
} from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

export type MemoryCatalog = {
  readonly blobs: BlobCatalog;
  readonly manifests: ManifestCatalog;
  /** One line per change, in order: what a real catalog writes to its outbox. */
  readonly events: readonly string[];
};

type Repository = {
  readonly links: Set<Digest>;
  readonly manifests: Map<Digest, NewManifest>;
  readonly tags: Map<string, Digest>;
};

type State = {
  readonly blobs: Map<Digest, StoredBlob>;
  readonly repositories: Map<RepositoryName, Repository>;
  readonly events: string[];
};

/** Blobs and manifests in maps. Every change happens between two awaits, so it is atomic. */
export function createMemoryCatalog(): MemoryCatalog {
  const state: State = { blobs: new Map(), repositories: new Map(), events: [] };
  return { blobs: blobCatalog(state), manifests: manifestCatalog(state), events: state.events };
}

function blobCatalog(state: State): BlobCatalog {
  return {
    async find(repository, digest) {
      const linked = state.repositories.get(repository)?.links.has(digest);
      return linked ? state.blobs.get(digest) : undefined;
    },
    async link(repository, { digest, key, size }) {
      const live = state.blobs.get(digest);
      if (!live) state.blobs.set(digest, { key, size });
      open(state, repository).links.add(digest);
      return { surplus: live !== undefined && live.key !== key };
    },
    async mount(repository, digest, from) {
      const sources = from.repository ? [from.repository] : state.repositories.keys();
      for (const source of sources) {
        const linked = state.repositories.get(source)?.links.has(digest);
        if (!linked || !from.mayPull(source)) continue;
        open(state, repository).links.add(digest);
        return true;
      }
      return false;
    },
    async unlink(name, digest) {
      const repository = state.repositories.get(name);
      if (!repository?.links.has(digest)) return "absent";
      if (isReferenced(repository, digest)) return "referenced";
      repository.links.delete(digest);
      return "unlinked";
    },
  };
}

function manifestCatalog(state: State): ManifestCatalog {
  return {
    async find(name, reference) {
      const repository = state.repositories.get(name);
      const digest = isDigest(reference) ? reference : repository?.tags.get(reference);
      return digest && repository?.manifests.get(digest);
    },
    async record(manifest) {
      return record(state, manifest);
    },
    async deleteTag(name, tag) {
      if (!state.repositories.get(name)?.tags.delete(tag)) return "absent";
      state.events.push(`untagged ${name}:${tag}`);
      return "deleted";
    },
    async deleteManifest(name, digest) {
      const repository = state.repositories.get(name);
      if (!repository?.manifests.delete(digest)) return "absent";
      for (const [tag, target] of repository.tags) {
        if (target === digest) repository.tags.delete(tag);
      }
      state.events.push(`deleted ${name}@${digest}`);
      return "deleted";
    },
    async tags(name, page) {
      const repository = state.repositories.get(name);
      return repository && pageOf([...repository.tags.keys()], page);
    },
    async repositories(page) {
      return pageOf([...state.repositories.keys()], page);
    },
    async referrers(name, subject) {
      const all = [...(state.repositories.get(name)?.manifests.values() ?? [])];
      return all
        .filter((manifest) => manifest.subject === subject)
        .map(({ digest, mediaType, bytes, artifactType, annotations }) => ({
          digest,
          mediaType,
          size: bytes.length,
          ...(artifactType !== undefined && { artifactType }),
          ...(annotations !== undefined && { annotations }),
        }));
    },
  };
}

type Recorded = Awaited<ReturnType<ManifestCatalog["record"]>>;

function record(state: State, manifest: NewManifest): Recorded {
  const { digest, edges, tags } = manifest;
  const checked = edges.filter(({ kind }) => kind !== "foreign");
  const known = state.repositories.get(manifest.repository);
  const missing = checked.filter((edge) => sizeOf(state, known, edge) === undefined);
  if (missing.length > 0) {
    return { status: "missing", digests: [...new Set(missing.map((edge) => edge.digest))] };
  }
  const wrong = checked.find((edge) => sizeOf(state, known, edge) !== edge.size);
  if (wrong) return { status: "size-mismatch", digest: wrong.digest };

  if (known && isTooDeep(known, edges)) return { status: "too-deep" };

  const repository = open(state, manifest.repository);
  const unmoved = tags.every((tag) => repository.tags.get(tag) === digest);
  if (repository.manifests.has(digest) && unmoved) return { status: "unchanged" };
  if (!repository.manifests.has(digest)) repository.manifests.set(digest, manifest);
  for (const tag of tags) repository.tags.set(tag, digest);
  state.events.push(`pushed ${manifest.repository}@${digest} ${tags.join(",")}`.trimEnd());
  return { status: "recorded" };
}

function sizeOf(
  state: State,
  repository: Repository | undefined,
  { digest, kind }: ManifestEdge,
): number | undefined {
  const child = kind === "child" ? repository?.manifests.get(digest) : undefined;
  if (child) return child.bytes.length;
  return repository?.links.has(digest) ? state.blobs.get(digest)?.size : undefined;
}

/** Level by level, each manifest once in each: shared children cost no more than others. */
function isTooDeep({ manifests }: Repository, edges: readonly ManifestEdge[]): boolean {
  let level = childrenIn(edges);
  for (let depth = 1; depth <= MAX_INDEX_DEPTH && level.size > 0; depth += 1) {
    const next = [...level].flatMap((digest) => manifests.get(digest)?.edges ?? []);
    level = childrenIn(next);
  }
  return level.size > 0;
}

function childrenIn(edges: readonly ManifestEdge[]): ReadonlySet<Digest> {
  return new Set(edges.filter(({ kind }) => kind === "child").map(({ digest }) => digest));
}

function isReferenced(repository: Repository, digest: Digest): boolean {
  for (const { edges } of repository.manifests.values()) {
    if (edges.some((edge) => edge.digest === digest)) return true;
  }
  return false;
}

function open(state: State, name: RepositoryName): Repository {
  const known = state.repositories.get(name);
  if (known) return known;
  const repository = { links: new Set<Digest>(), manifests: new Map(), tags: new Map() };
  state.repositories.set(name, repository);
  return repository;
}

function pageOf<Name extends string>(names: readonly Name[], { limit, after }: Page): Name[] {
  const rest = after === undefined ? names : names.filter((name) => name > after);
  // The default order of sort() is by UTF-16 code unit, which is what the port asks for.
  return rest.toSorted().slice(0, limit);
}
