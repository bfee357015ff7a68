import { Readable } from "node:stream";
import type { Digest } from "../digest.ts";
import { isDigest } from "../digest.ts";
import { subjectOfTag } from "../attached-tag.ts";
import { MAX_INDEX_DEPTH } from "../manifest/manifest.ts";
import type {
  ManifestCatalog,
  ManifestEdge,
  NewManifest,
  Page,
  Referrer,
  ReferrerPage,
  ReferrerQuery,
} from "../ports.ts";
import { referrerWeight } from "../referrers.ts";
import { isHeld, withIndexesAbove } from "./memory-reachability.ts";
import type { ManifestRow, MemoryRepository, State } from "./memory-state.ts";
import { linkedBlob, openRepository } from "./memory-state.ts";

export function createMemoryManifests(state: State): ManifestCatalog {
  return {
    async find(name, reference) {
      const repository = state.repositories.get(name);
      const digest = isDigest(reference) ? reference : repository?.tags.get(reference)?.digest;
      const row = digest && repository?.manifests.get(digest);
      if (row) state.touch(row);
      return row && row.manifest;
    },
    async record(manifest) {
      const refused = refusalOf(state, manifest);
      if (refused) return refused;
      if (state.flaw === "no-lock") await state.pause();
      return record(state, manifest);
    },
    async deleteTag(name, tag) {
      const repository = state.repositories.get(name);
      const row = repository?.tags.get(tag);
      if (!repository || !row) return "absent";
      repository.tags.delete(tag);
      touchManifest(state, repository, row.digest);
      state.events.push(`untagged ${name}:${tag}`);
      return "deleted";
    },
    async deleteManifest(name, digest) {
      const repository = state.repositories.get(name);
      if (!repository?.manifests.has(digest)) return "absent";
      const above = withIndexesAbove(repository, digest);
      if (above.values().some((ancestor) => isHeld(state, ancestor))) return "held";
      repository.manifests.delete(digest);
      for (const [tag, target] of repository.tags) {
        if (target.digest === digest) repository.tags.delete(tag);
      }
      thinOut(repository, digest);
      state.events.push(`deleted ${name}@${digest}`);
      return "deleted";
    },
    async tags(name, page) {
      const repository = state.repositories.get(name);
      if (!repository || repository.manifests.size === 0) return undefined;
      return pageOf([...repository.tags.keys()], page);
    },
    async repositories(page) {
      const listed = [...state.repositories].filter(([, { manifests }]) => manifests.size > 0);
      return pageOf(
        listed.map(([name]) => name),
        page,
      );
    },
    async referrers(name, subject, query) {
      return referrerPage([...(state.repositories.get(name)?.manifests.values() ?? [])], {
        ...query,
        subject,
      });
    },
  };
}

function referrerPage(
  rows: readonly ManifestRow[],
  { subject, artifactType, after = 0, limit, maxBytes }: ReferrerQuery & { subject: Digest },
): ReferrerPage {
  const rest = rows
    .filter(({ id, manifest }) => id > after && manifest.subject === subject)
    .filter(({ manifest }) => artifactType === undefined || manifest.artifactType === artifactType)
    .toSorted((a, b) => a.id - b.id);
  let bytes = 0;
  const end = rest.findIndex(({ manifest }, index) => {
    bytes += referrerWeight(manifest);
    return index > 0 && (index >= limit || bytes > maxBytes);
  });
  const page = end < 0 ? rest : rest.slice(0, end);
  const last = page.at(-1);
  return {
    referrers: Readable.from(page.map(referrerOf)),
    ...(end >= 0 && last && { next: last.id }),
  };
}

function referrerOf({ manifest }: ManifestRow): Referrer {
  const { digest, mediaType, bytes, artifactType, annotations } = manifest;
  return {
    digest,
    mediaType,
    size: bytes.length,
    ...(artifactType !== undefined && { artifactType }),
    ...(annotations !== undefined && { annotations }),
  };
}

type Recorded = Awaited<ReturnType<ManifestCatalog["record"]>>;

function refusalOf(state: State, manifest: NewManifest): Recorded | undefined {
  const checked = manifest.edges.filter(({ kind }) => kind !== "foreign" && kind !== "sparse");
  const knownRepository = state.repositories.get(manifest.repository);
  const missing = checked.filter((edge) => sizeOf(state, knownRepository, edge) === undefined);
  if (missing.length > 0) {
    return { status: "missing", digests: [...new Set(missing.map((edge) => edge.digest))] };
  }
  const wrong = checked.find((edge) => sizeOf(state, knownRepository, edge) !== edge.size);
  if (wrong) return { status: "size-mismatch", digest: wrong.digest };
  if (knownRepository && isTooDeep(knownRepository, manifest.edges)) return { status: "too-deep" };
  const { tags, tagsMax = Infinity } = manifest;
  const newTags = tags.filter((tag) => !knownRepository?.tags.has(tag));
  const isFull = newTags.length > 0 && (knownRepository?.tags.size ?? 0) + newTags.length > tagsMax;
  return isFull ? { status: "tags-full" } : undefined;
}

function record(state: State, manifest: NewManifest): Recorded {
  const { digest, tags, edges } = manifest;
  const repository = openRepository(state, manifest.repository);
  repository.isPublished = true;
  for (const edge of edges) {
    const blob = linkedBlob(state, repository, edge.digest);
    if (blob) state.touch(blob);
  }
  const knownRow = repository.manifests.get(digest);
  if (knownRow) state.touch(knownRow);
  else {
    const id = state.newId();
    repository.manifests.set(digest, { id, manifest, edges, touchedAt: state.now() });
  }
  const moved = tags.filter((tag) => repository.tags.get(tag)?.digest !== digest);
  for (const tag of moved) {
    const before = repository.tags.get(tag);
    if (before) touchManifest(state, repository, before.digest);
    repository.tags.set(tag, { digest, subject: subjectOfTag(tag) });
  }
  if (knownRow && moved.length === 0) return { status: "unchanged" };
  state.events.push(`pushed ${manifest.repository}@${digest} ${tags.join(",")}`.trimEnd());
  return { status: "recorded" };
}

/** Losing a tag counts as being used. */
function touchManifest(state: State, { manifests }: MemoryRepository, digest: Digest): void {
  const row = manifests.get(digest);
  if (row) state.touch(row);
}

/** An index is sparse once a client has deleted one of its children: that child may be absent. */
function thinOut({ manifests }: MemoryRepository, child: Digest): void {
  for (const row of manifests.values()) {
    if (!row.edges.some(({ digest }) => digest === child)) continue;
    row.edges = row.edges.map((edge) => {
      const isChild = edge.digest === child && edge.kind === "child";
      return isChild ? { ...edge, kind: "foreign" as const } : edge;
    });
  }
}

function sizeOf(
  state: State,
  repository: MemoryRepository | undefined,
  { digest, kind }: ManifestEdge,
): number | undefined {
  const child = kind === "child" ? repository?.manifests.get(digest) : undefined;
  return child?.manifest.bytes.length ?? linkedBlob(state, repository, digest)?.size;
}

/** Level by level, each manifest once in each: shared children cost no more than others. */
function isTooDeep({ manifests }: MemoryRepository, edges: readonly ManifestEdge[]): boolean {
  let level = childrenIn(edges);
  for (let depth = 1; depth <= MAX_INDEX_DEPTH && level.size > 0; depth += 1) {
    level = childrenIn([...level].flatMap((digest) => manifests.get(digest)?.manifest.edges ?? []));
  }
  return level.size > 0;
}

function childrenIn(edges: readonly ManifestEdge[]): ReadonlySet<Digest> {
  return new Set(edges.filter(({ kind }) => kind === "child").map(({ digest }) => digest));
}

function pageOf<Name extends string>(names: readonly Name[], { limit, after }: Page): Name[] {
  const rest = after === undefined ? names : names.filter((name) => name > after);
  // The default order of sort() is by UTF-16 code unit, which is what the port asks for.
  return rest.toSorted().slice(0, limit);
}
