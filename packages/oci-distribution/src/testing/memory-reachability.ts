import type { Digest } from "../digest.ts";
import type { CollectedKind, Keeping, KeepReason, UseLimits } from "../gc/reachability.ts";
import { KEEPINGS, KEPT_BY, SATISFIED_BY } from "../gc/reachability.ts";
import type { ManifestRow, MemoryRepository, State } from "./memory-state.ts";

/** Relations of a collectable row to its repository, its digest and its clocks. */
export type CollectedRow = {
  readonly digest: Digest;
  /** Milliseconds since 1970; a clock that a kind does not have is left out. */
  readonly clocks: Partial<Readonly<Record<CollectedKind, number>>>;
  /** Whether rows of each kind name this one. */
  readonly isNamedBy: Partial<
    Readonly<Record<Extract<KeepReason, { type: "named" }>["by"], () => boolean>>
  >;
};

/** Whether one of the reasons of `KEPT_BY` keeps a row. */
export function isKept(
  state: State,
  kind: CollectedKind,
  row: CollectedRow,
  limits: UseLimits,
): boolean {
  return KEPT_BY[kind].some((reason) => {
    if (reason.type === "held") return isHeld(state, row.digest);
    if (reason.type === "named") return row.isNamedBy[reason.by]?.() ?? false;
    const usedAt = row.clocks[reason.clock];
    return usedAt !== undefined && usedAt >= limits[reason.since].getTime();
  });
}

export function isRoot(
  state: State,
  repository: MemoryRepository,
  { manifest: { digest }, touchedAt }: ManifestRow,
  limits: UseLimits,
): boolean {
  const tags = () =>
    repository.tags.values().some((tag) => tag.digest === digest && tag.subject === undefined);
  const row = { digest, clocks: { manifest: touchedAt }, isNamedBy: { tags } };
  return isKept(state, "manifest", row, limits);
}

type Row = Partial<Readonly<Record<"manifest" | "child" | "subject", Digest | undefined>>>;

/** The rows of a repository that define which manifest keeps which. */
function* rowsOf({ manifests, tags }: MemoryRepository, rows: Keeping["rows"]): Generator<Row> {
  if (rows === "tags") {
    for (const { digest, subject } of tags.values()) yield { manifest: digest, subject };
    return;
  }
  for (const { manifest, edges } of manifests.values()) {
    const { digest, subject } = manifest;
    if (rows === "manifests") yield { manifest: digest, subject };
    else for (const edge of edges) yield { manifest: digest, child: edge.digest };
  }
}

/** The manifests that roots reach, with the roots (rule R3). */
export function reachedFrom(repository: MemoryRepository, roots: Iterable<Digest>): Set<Digest> {
  const keptBy = new Map<Digest, Digest[]>();
  for (const { rows, keeper: from, kept: to } of KEEPINGS) {
    for (const { [from]: keeper, [to]: keptDigest } of rowsOf(repository, rows)) {
      if (keeper === undefined || keptDigest === undefined) continue;
      const keptDigests = keptBy.get(keeper);
      if (keptDigests) keptDigests.push(keptDigest);
      else keptBy.set(keeper, [keptDigest]);
    }
  }
  const reached = new Set<Digest>();
  const waiting = [...roots];
  for (let digest = waiting.pop(); digest !== undefined; digest = waiting.pop()) {
    if (reached.has(digest) || !repository.manifests.has(digest)) continue;
    reached.add(digest);
    waiting.push(...(keptBy.get(digest) ?? []));
  }
  return reached;
}

/** The other manifests of the repository that keep this one in one of these ways. */
export function keepersOf(
  repository: MemoryRepository,
  digest: Digest,
  keepings: readonly Keeping[] = KEEPINGS,
): readonly Digest[] {
  return namedKeepers(repository, digest, keepings).filter(
    (keeper) => keeper !== digest && repository.manifests.has(keeper),
  );
}

/** Whether a row names a manifest as keeper of this one, and the repository lacks that manifest. */
export function lacksSubject(repository: MemoryRepository, digest: Digest): boolean {
  const bySubject = KEEPINGS.filter(({ keeper }) => keeper === "subject");
  const subjects = namedKeepers(repository, digest, bySubject);
  return subjects.some((subject) => !repository.manifests.has(subject));
}

function namedKeepers(
  repository: MemoryRepository,
  digest: Digest,
  keepings: readonly Keeping[],
): readonly Digest[] {
  return keepings.flatMap(({ rows, keeper, kept }) =>
    [...rowsOf(repository, rows)]
      .filter((row) => row[kept] === digest)
      .map((row) => row[keeper])
      .filter((keeperDigest) => keeperDigest !== undefined),
  );
}

/** Whether a keeper must go before this manifest (rule R6). */
export function isBlocked(
  repository: MemoryRepository,
  digest: Digest,
  blocks: Keeping["blocks"],
): boolean {
  const keepings = KEEPINGS.filter((keeping) => keeping.blocks === blocks);
  return keepersOf(repository, digest, keepings).length > 0;
}

/** A manifest, and the indexes that list it, directly or through others. */
export function withIndexesAbove(
  repository: MemoryRepository,
  digest: Digest,
): ReadonlySet<Digest> {
  const listing = KEEPINGS.filter(({ rows }) => rows === "edges");
  const above = new Set([digest]);
  // The loop also visits what it adds.
  for (const ancestor of above)
    for (const index of keepersOf(repository, ancestor, listing)) above.add(index);
  return above;
}

/** Whether a root keeps this manifest, directly or through others. */
export function hasRootAbove(
  state: State,
  repository: MemoryRepository,
  { manifest }: ManifestRow,
  limits: UseLimits,
): boolean {
  const above = new Set(keepersOf(repository, manifest.digest));
  // The loop also visits what it adds.
  for (const digest of above) {
    const row = repository.manifests.get(digest);
    if (row && row.manifest !== manifest && isRoot(state, repository, row, limits)) return true;
    for (const keeper of keepersOf(repository, digest)) above.add(keeper);
  }
  return false;
}

export function isHeld({ holds, now }: State, digest: Digest): boolean {
  for (const heldDigests of holds.values()) {
    if (heldDigests.has(digest) && (heldDigests.get(digest) ?? Number.POSITIVE_INFINITY) > now())
      return true;
  }
  return false;
}

/** The first digest that a manifest needs and that is missing (rule R9). */
export function holeIn(
  state: State,
  repository: MemoryRepository,
  { edges }: ManifestRow,
): Digest | undefined {
  const has = {
    manifest: (digest: Digest) => repository.manifests.has(digest),
    blob: (digest: Digest) =>
      repository.links.has(digest) && state.blobs.get(digest)?.state === "live",
  };
  return edges.find(({ digest, kind }) => {
    const types = SATISFIED_BY[kind];
    return types.length > 0 && !types.some((type) => has[type](digest));
  })?.digest;
}
