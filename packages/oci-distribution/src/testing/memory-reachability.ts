import type { Digest } from "../digest.ts";
import type { ManifestRow, Repository, State } from "./memory-state.ts";
import { linkedBlob } from "./memory-state.ts";

/** Rule R3: what keeps a manifest by itself. */
export function isRoot(
  state: State,
  repository: Repository,
  row: ManifestRow,
  untaggedSince: Date,
): boolean {
  if (row.touchedAt >= untaggedSince.getTime() || isHeld(state, row.manifest.digest)) return true;
  for (const { digest, subject } of repository.tags.values()) {
    if (digest === row.manifest.digest && subject === undefined) return true;
  }
  return false;
}

/** Children, referrers and what tags name as belonging to a reached manifest, to a fix point. */
export function reachedFrom(repository: Repository, roots: Iterable<Digest>): Set<Digest> {
  const { manifests, tags } = repository;
  const belonging = Map.groupBy(
    [
      ...[...manifests.values()].map(({ manifest: { digest, subject } }) => ({ digest, subject })),
      ...tags.values(),
    ],
    ({ subject }) => subject,
  );
  const reached = new Set<Digest>();
  const waiting = [...roots];
  for (let digest = waiting.pop(); digest !== undefined; digest = waiting.pop()) {
    const row = reached.has(digest) ? undefined : manifests.get(digest);
    if (!row) continue;
    reached.add(digest);
    for (const edge of row.edges) waiting.push(edge.digest);
    for (const owned of belonging.get(digest) ?? []) waiting.push(owned.digest);
  }
  return reached;
}

/** What a manifest belongs to that is there: its subject, and the subjects of its tags. */
export function subjectsOf({ manifests, tags }: Repository, { manifest }: ManifestRow): Digest[] {
  const named = [...tags.values()].filter(({ digest }) => digest === manifest.digest);
  return [manifest.subject, ...named.map(({ subject }) => subject)].filter(
    (subject): subject is Digest =>
      subject !== undefined && subject !== manifest.digest && manifests.has(subject),
  );
}

export function parentsOf({ manifests }: Repository, child: Digest): Digest[] {
  return [...manifests.values()]
    .filter(({ edges }) => edges.some(({ digest }) => digest === child))
    .map(({ manifest }) => manifest.digest);
}

/** A manifest, and the indexes that list it, directly or through others. */
export function withIndexesAbove(repository: Repository, digest: Digest): ReadonlySet<Digest> {
  const above = new Set([digest]);
  // What is added on the way is visited, too.
  for (const one of above) for (const parent of parentsOf(repository, one)) above.add(parent);
  return above;
}

/** Whether a root is among what this manifest belongs to, however far up. */
export function hasRootAbove(
  state: State,
  repository: Repository,
  row: ManifestRow,
  untaggedSince: Date,
): boolean {
  const seen = new Set<Digest>();
  const waiting = [row.manifest.digest];
  for (let digest = waiting.pop(); digest !== undefined; digest = waiting.pop()) {
    const above = seen.has(digest) ? undefined : repository.manifests.get(digest);
    if (!above) continue;
    seen.add(digest);
    if (above !== row && isRoot(state, repository, above, untaggedSince)) return true;
    waiting.push(...parentsOf(repository, digest), ...subjectsOf(repository, above));
  }
  return false;
}

export function isHeld({ holds, now }: State, digest: Digest): boolean {
  for (const held of holds.values()) {
    if (held.has(digest) && (held.get(digest) ?? Number.POSITIVE_INFINITY) > now()) return true;
  }
  return false;
}

/** The first thing that a manifest needs and that is not there (rule R9). */
export function holeIn(
  state: State,
  repository: Repository,
  { edges }: ManifestRow,
): Digest | undefined {
  return edges.find(({ digest, kind }) => {
    if (kind === "foreign" || (kind === "child" && repository.manifests.has(digest))) return false;
    return linkedBlob(state, repository, digest) === undefined;
  })?.digest;
}
