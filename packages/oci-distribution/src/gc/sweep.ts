import type { RepositoryName } from "../repository-name.ts";
import type {
  BlobCandidate,
  Candidate,
  CandidateKind,
  ClaimedBlob,
  GarbageCatalog,
  GarbageFiles,
  LinkCandidate,
  ManifestCandidate,
  NewRun,
  Surface,
  Totals,
} from "./ports.ts";

const BATCH = 500;

/** Ports and options of a run. */
export type Work = {
  readonly catalog: GarbageCatalog;
  readonly files: GarbageFiles;
  readonly run: NewRun;
  /** Aborts when the run must stop. */
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
  /** Called with the key of an object that could not be deleted. */
  readonly onFailure: (key: string, error: unknown) => void;
};

export type Swept = {
  /** Totals of removed manifests and blobs. */
  readonly removed: Totals;
  /** Number of removed links. */
  readonly links: number;
  /** Number of candidates that stay, because they were used or referenced since. */
  readonly kept: number;
  /** Number of blobs whose objects could not be deleted. The next run retries. */
  readonly failed: number;
  /** Number of blobs from earlier runs whose objects this run deleted. */
  readonly resumed: number;
};

type UntaggedSince = (repository: RepositoryName) => Date;

/** Removes the candidates of a run: manifests, then links, then blobs. */
export async function sweep(
  work: Work,
  surface: Surface,
  untaggedSince: UntaggedSince,
): Promise<Swept> {
  const manifests = await sweepManifests(work, untaggedSince);
  const links = await sweepLinks(work);
  const { run, signal, catalog } = work;
  if (!signal.aborted && run.reviewed === undefined) {
    await catalog.sweeps.forgetEmpty(run, surface);
  }
  const blobs = await sweepBlobs(work);
  return {
    removed: {
      count: manifests.removed.count + blobs.removed.count,
      bytes: manifests.removed.bytes + blobs.removed.bytes,
    },
    links: links.removed.count,
    kept: manifests.kept + links.kept + blobs.kept,
    failed: blobs.failed,
    resumed: 0,
  };
}

/** Deletes blobs that earlier runs claimed. Resolves to the number of deleted blobs. */
export async function deleteClaimed(work: Work): Promise<number> {
  let finished = 0;
  let page = await work.catalog.sweeps.claimed(BATCH);
  while (page.length > 0) {
    for (const blob of page) {
      if (work.signal.aborted) return finished;
      if (await finishBlob(work, blob)) finished += 1;
    }
    await work.pause();
    page = await work.catalog.sweeps.claimed(BATCH, page.at(-1));
  }
  return finished;
}

type Count = { removed: { count: number; bytes: number }; kept: number; failed: number };

/**
 * Removes parents before children and subjects before referrers. Retries blocked manifests while
 * that removes any. The rest is blocked by manifests that stay, or by rings.
 */
async function sweepManifests(work: Work, untaggedSince: UntaggedSince): Promise<Count> {
  const count = newCount();
  let waiting: ReadonlySet<number> | undefined;
  let stuck = false;
  for (;;) {
    const blocked = new Set<number>();
    for await (const candidate of candidatesOf(work, "manifest")) {
      if (waiting && !waiting.has(candidate.position)) continue;
      const outcome = await removeManifest(work, candidate, { untaggedSince, stuck });
      if (outcome === "blocked") blocked.add(candidate.position);
      else countOutcome(count, candidate, outcome);
    }
    const hasMoved = waiting === undefined || blocked.size < waiting.size;
    if (blocked.size === 0 || (stuck && !hasMoved)) {
      count.kept += blocked.size;
      return count;
    }
    stuck = !hasMoved;
    waiting = blocked;
  }
}

function removeManifest(
  { catalog, run }: Work,
  candidate: ManifestCandidate,
  { untaggedSince, stuck }: { readonly untaggedSince: UntaggedSince; readonly stuck: boolean },
): Promise<"removed" | "kept" | "blocked"> {
  const since = untaggedSince(candidate.repository);
  return catalog.sweeps.removeManifest(run, candidate, since, { stuck });
}

async function sweepLinks(work: Work): Promise<Count> {
  const count = newCount();
  for await (const link of candidatesOf(work, "link")) {
    countOutcome(count, link, await work.catalog.sweeps.removeLink(work.run, link));
  }
  return count;
}

async function sweepBlobs(work: Work): Promise<Count> {
  const count = newCount();
  for await (const candidate of candidatesOf(work, "blob")) {
    const blob = await work.catalog.sweeps.claimBlob(work.run, candidate);
    const removed = blob !== "kept" && (await finishBlob(work, blob));
    if (blob !== "kept" && !removed) count.failed += 1;
    else countOutcome(count, candidate, removed ? "removed" : "kept");
  }
  return count;
}

/** Deletes the object of that generation, then the row. False if the object cannot be deleted. */
async function finishBlob(work: Work, blob: ClaimedBlob): Promise<boolean> {
  const { catalog, files, run } = work;
  try {
    await files.delete(blob.key);
  } catch (error) {
    work.onFailure(blob.key, error);
    await catalog.sweeps.failBlob(run, blob);
    return false;
  }
  await catalog.sweeps.forgetBlob(run, blob);
  return true;
}

/** Yields the candidates page by page, with a pause after each, until the run must stop. */
function candidatesOf(work: Work, kind: "manifest"): AsyncGenerator<ManifestCandidate>;
function candidatesOf(work: Work, kind: "link"): AsyncGenerator<LinkCandidate>;
function candidatesOf(work: Work, kind: "blob"): AsyncGenerator<BlobCandidate>;
async function* candidatesOf(work: Work, kind: CandidateKind): AsyncGenerator<Candidate> {
  const { catalog, run, signal, pause } = work;
  const restriction = run.reviewed === undefined ? {} : { reviewed: run.reviewed };
  let page = await catalog.reports.candidates(run, { kind, limit: BATCH, ...restriction });
  for (;;) {
    for (const candidate of page) {
      if (signal.aborted) return;
      yield candidate;
    }
    const after = page.at(-1);
    if (after === undefined || page.length < BATCH) return;
    await pause();
    page = await catalog.reports.candidates(run, { kind, limit: BATCH, after, ...restriction });
  }
}

function newCount(): Count {
  return { removed: { count: 0, bytes: 0 }, kept: 0, failed: 0 };
}

function countOutcome(count: Count, { size }: Candidate, outcome: "removed" | "kept"): void {
  if (outcome === "kept") {
    count.kept += 1;
    return;
  }
  count.removed.count += 1;
  count.removed.bytes += size;
}
