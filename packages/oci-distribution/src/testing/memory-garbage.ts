import { forgottenBefore } from "../gc/kept-reports.ts";
import type {
  Candidate,
  CandidateReason,
  DyingBlob,
  GarbageCatalog,
  ManifestCandidate,
  RunKey,
  RunReport,
  Surface,
  Tally,
  WalkStep,
} from "../gc/ports.ts";
import { LostLeaseError } from "../gc/ports.ts";
import type { Digest } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";
import { isReferenced } from "./memory-blobs.ts";
import {
  hasRootAbove,
  holeIn,
  isHeld,
  isRoot,
  parentsOf,
  reachedFrom,
  subjectsOf,
} from "./memory-reachability.ts";
import type { BlobRow, ManifestRow, Repository, RunRow, State } from "./memory-state.ts";

export function createMemoryGarbage(state: State): GarbageCatalog {
  return {
    async begin(run) {
      fenced(state, run);
      const before = forgottenBefore(run.startedAt);
      for (const [id, { run: old }] of state.runs) {
        const isOld = old.startedAt < (old.dryRun ? before.dryRuns : before.runs);
        if (isOld && id !== run.reviewed) state.runs.delete(id);
      }
      state.runs.set(run.id, { run, manifests: [], links: [], blobs: [] });
    },
    async repositories(surface, { limit, after = "" }) {
      const names = [...state.repositories.keys()].filter((name) => isUnder(surface, name));
      return names
        .filter((name) => name > after)
        .toSorted()
        .slice(0, limit);
    },
    async mark(run, { repository, untaggedSince }) {
      return mark(state, runOf(state, run), { name: repository, untaggedSince });
    },
    async markLinks(run, surface, limit) {
      return markLinks(state, runOf(state, run), { surface, limit });
    },
    async markBlobs(run, limit) {
      return markBlobs(state, runOf(state, run), limit);
    },
    async candidates(run, { kind, limit, after, reviewed }) {
      const found =
        reviewed === undefined ? undefined : new Set(listOf(state, reviewed).map(nameOf));
      return listOf(state, run.id)
        .filter((one) => one.kind === kind && one.position > (after?.position ?? 0))
        .filter((one) => found?.has(nameOf(one)) ?? true)
        .slice(0, limit);
    },
    async removeManifest(run, candidate, untaggedSince, { stuck = false } = {}) {
      fenced(state, run);
      return removeManifest(state, candidate, { untaggedSince, stuck });
    },
    async removeLink(run, { repository: name, digest }) {
      fenced(state, run);
      const repository = state.repositories.get(name);
      const linkedAt = repository?.links.get(digest);
      if (!repository || linkedAt === undefined) return "kept";
      const unused = isUnusedLink(state, run, { digest, linkedAt });
      if (isReferenced(repository, digest) || !unused) {
        if (state.flaw !== "no-recheck") return "kept";
      }
      repository.links.delete(digest);
      return "removed";
    },
    async claimBlob(run, { digest }) {
      fenced(state, run);
      const blob = state.blobs.get(digest);
      if (blob?.state !== "live") return "kept";
      const isKept = !isUnused(state, run, blob) || isLinked(state, digest);
      if (isKept && state.flaw !== "no-recheck") return "kept";
      blob.state = "deleting";
      return dyingBlobOf(blob);
    },
    async dying(limit, after) {
      return [...state.blobs.values()]
        .filter(({ state: is, id }) => is !== "live" && id > (after?.id ?? 0))
        .toSorted((a, b) => a.id - b.id)
        .slice(0, limit)
        .map(dyingBlobOf);
    },
    async forgetBlob(run, blob) {
      fenced(state, run);
      if (dyingRow(state, blob)) state.blobs.delete(blob.digest);
    },
    async failBlob(run, blob) {
      fenced(state, run);
      const row = dyingRow(state, blob);
      if (row) row.state = "delete-failed";
    },
    async finish(run, end) {
      const row = runOf(state, run);
      row.end = end;
      if (end.state === "aborted") Object.assign(row, { manifests: [], links: [], blobs: [] });
      if (!row.run.dryRun) state.events.push(`gc.completed ${row.run.surface} ${end.state}`);
    },
    async report(id) {
      const row = state.runs.get(id);
      return row && reportOf(row);
    },
    async reports(limit) {
      const newest = [...state.runs.values()].toReversed();
      const at = ({ run }: RunRow) => run.startedAt.getTime();
      return newest
        .toSorted((a, b) => at(b) - at(a))
        .slice(0, limit)
        .map(reportOf);
    },
  };
}

/** Rule R10. */
function fenced({ leases }: State, { lease, fence }: RunKey): void {
  if (leases.get(lease)?.fence !== fence) throw new LostLeaseError(lease);
}

function runOf(state: State, run: RunKey): RunRow {
  fenced(state, run);
  const row = state.runs.get(run.id);
  if (!row) throw new Error(`the run ${run.id} has no report`);
  return row;
}

function isUnder(surface: Surface, name: RepositoryName): boolean {
  if ("segment" in surface) return name.startsWith(`${surface.segment}/`);
  return !surface.notUnder.some((segment) => name.startsWith(`${segment}/`));
}

function mark(
  state: State,
  row: RunRow,
  { name, untaggedSince }: { readonly name: RepositoryName; readonly untaggedSince: Date },
): Awaited<ReturnType<GarbageCatalog["mark"]>> {
  const repository = state.repositories.get(name);
  if (!repository) return { status: "marked", count: 0, bytes: 0 };
  const rows = [...repository.manifests.values()];
  const roots = rows.filter((one) => isRoot(state, repository, one, untaggedSince));
  const reached = reachedFrom(
    repository,
    roots.map(({ manifest }) => manifest.digest),
  );
  for (const one of rows) {
    const { digest } = one.manifest;
    const missing = reached.has(digest) ? holeIn(state, repository, one) : undefined;
    if (missing !== undefined) return { status: "broken", manifest: digest, missing };
  }
  const unreached = rows.filter(({ manifest }) => !reached.has(manifest.digest));
  // Parents mostly were pushed after their children, so this order seldom meets what is blocked.
  const added = unreached
    .toSorted((a, b) => b.id - a.id)
    .map((one): ManifestCandidate => ({
      kind: "manifest",
      repository: name,
      position: state.newId(),
      digest: one.manifest.digest,
      size: one.manifest.bytes.length,
      reason: reasonOf(repository, one),
      lastUsedAt: new Date(one.touchedAt),
    }));
  row.manifests.push(...added);
  return { status: "marked", ...tallyOf(added) };
}

function reasonOf({ manifests }: Repository, { manifest }: ManifestRow): CandidateReason {
  const { subject } = manifest;
  return subject !== undefined && !manifests.has(subject) ? "subject-gone" : "untagged";
}

function markLinks(
  state: State,
  row: RunRow,
  { surface, limit }: { readonly surface: Surface; readonly limit: number },
): WalkStep {
  const known = new Set(row.links.map(nameOf));
  const dying = new Set(row.manifests.map(nameOf));
  const added: Candidate[] = [];
  for (const [name, repository] of state.repositories) {
    if (!isUnder(surface, name)) continue;
    const staying = [...repository.manifests.values()].filter(({ manifest: { digest } }) => {
      return !dying.has(`manifest ${name}@${digest}`);
    });
    const needed = new Set(staying.flatMap(({ edges }) => edges.map(({ digest }) => digest)));
    for (const [digest, linkedAt] of repository.links) {
      if (added.length === limit) break;
      if (needed.has(digest) || known.has(`link ${name}@${digest}`)) continue;
      if (!isUnusedLink(state, row.run, { digest, linkedAt })) continue;
      const blob = state.blobs.get(digest);
      const lastUsedAt = new Date(Math.max(linkedAt, blob?.touchedAt ?? 0));
      const link = { kind: "link", repository: name, digest, lastUsedAt } as const;
      const size = blob?.size ?? 0;
      added.push({ ...link, position: state.newId(), size, reason: "unneeded" });
    }
  }
  row.links.push(...added.filter((one) => one.kind === "link"));
  return { ...tallyOf(added), more: added.length === limit };
}

function markBlobs(state: State, row: RunRow, limit: number): WalkStep {
  const known = new Set(row.blobs.map(({ digest }) => digest));
  const dying = new Set(row.links.map(nameOf));
  const unlinked = [...state.blobs.values()].filter((blob) => {
    const { digest } = blob;
    if (blob.state !== "live" || known.has(digest) || !isUnused(state, row.run, blob)) return false;
    return ![...state.repositories].some(
      ([name, { links }]) => links.has(digest) && !dying.has(`link ${name}@${digest}`),
    );
  });
  const added = unlinked.slice(0, limit).map(({ digest, size, touchedAt }) => ({
    kind: "blob" as const,
    position: state.newId(),
    digest,
    size,
    reason: "unlinked" as const,
    lastUsedAt: new Date(touchedAt),
  }));
  row.blobs.push(...added);
  return { ...tallyOf(added), more: added.length === limit };
}

function removeManifest(
  state: State,
  { repository: name, digest }: ManifestCandidate,
  { untaggedSince, stuck }: { readonly untaggedSince: Date; readonly stuck: boolean },
): "removed" | "kept" | "blocked" {
  const repository = state.repositories.get(name);
  const row = repository?.manifests.get(digest);
  if (!repository || !row) return "kept";
  if (state.flaw !== "no-recheck") {
    if (isRoot(state, repository, row, untaggedSince)) return "kept";
    if (parentsOf(repository, digest).length > 0) return "blocked";
    if (subjectsOf(repository, row).length > 0) {
      if (!stuck) return "blocked";
      if (hasRootAbove(state, repository, row, untaggedSince)) return "kept";
    }
  }
  for (const [tag, target] of repository.tags) {
    if (target.digest === digest) repository.tags.delete(tag);
  }
  repository.manifests.delete(digest);
  return "removed";
}

function isUnused(state: State, { unusedSince }: RunKey, blob: BlobRow): boolean {
  return blob.touchedAt < unusedSince.getTime() && !isHeld(state, blob.digest);
}

/** A link was used when it was made, and whenever its blob was. */
function isUnusedLink(
  state: State,
  run: RunKey,
  { digest, linkedAt }: { readonly digest: Digest; readonly linkedAt: number },
): boolean {
  const blob = state.blobs.get(digest);
  return linkedAt < run.unusedSince.getTime() && (!blob || isUnused(state, run, blob));
}

function isLinked({ repositories }: State, digest: Digest): boolean {
  return [...repositories.values()].some(({ links }) => links.has(digest));
}

function dyingBlobOf({ id, digest, key }: BlobRow): DyingBlob {
  return { id, digest, key };
}

/** The row, while it still is the generation that was claimed. */
function dyingRow(state: State, { id, digest, key }: DyingBlob): BlobRow | undefined {
  const row = state.blobs.get(digest);
  return row?.id === id && row.key === key && row.state !== "live" ? row : undefined;
}

function listOf({ runs }: State, id: string): readonly Candidate[] {
  const row = runs.get(id);
  return row ? [...row.manifests, ...row.links, ...row.blobs] : [];
}

function nameOf(one: Candidate): string {
  return one.kind === "blob" ? one.digest : `${one.kind} ${one.repository}@${one.digest}`;
}

function tallyOf(candidates: readonly { readonly size: number }[]): Tally {
  return { count: candidates.length, bytes: candidates.reduce((sum, { size }) => sum + size, 0) };
}

const NOTHING: Tally = { count: 0, bytes: 0 };

function reportOf({ run, manifests, links, blobs, end }: RunRow): RunReport {
  const { id, surface, dryRun, startedAt, reviewed } = run;
  return {
    id,
    surface,
    dryRun,
    startedAt,
    ...(reviewed !== undefined && { reviewed }),
    manifests: tallyOf(manifests),
    links: tallyOf(links),
    blobs: tallyOf(blobs),
    ...(end ?? { state: "running", removed: NOTHING }),
  };
}
