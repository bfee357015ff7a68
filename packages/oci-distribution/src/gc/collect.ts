import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { RepositoryName } from "../repository-name.ts";
import { holdLease } from "./hold-lease.ts";
import type { HeldLease } from "./hold-lease.ts";
import type {
  GarbageCatalog,
  GarbageFiles,
  GarbageLeases,
  Marked,
  NewRun,
  RunEnd,
  RunReport,
  Surface,
  Totals,
} from "./ports.ts";
import type { Swept, Work } from "./sweep.ts";
import { deleteClaimed, sweep } from "./sweep.ts";

/** Where the collector finds everything. */
export type Collector = {
  readonly catalog: GarbageCatalog;
  readonly files: GarbageFiles;
  readonly leases: GarbageLeases;
};

export type CollectOptions = {
  readonly surface: Surface;
  /** Reports, and deletes nothing. */
  readonly dryRun: boolean;
  /** What was used for a push, a pull or a positive answer stays for so long. */
  readonly minimumAgeMs: number;
  /** How far the clocks of rows may lag behind (the throttle of rule R1): what looks older than the
   * minimum age by less than this may have been promised since. */
  readonly clockThresholdMs: number;
  /** How long untagged manifests of a repository stay, in milliseconds since their last use; never
   * less than the minimum age. `Infinity`: for ever. The minimum age when left out. */
  readonly keepUntaggedMs?: (repository: RepositoryName) => number;
  /** The id of a report that a person has read: nothing but what is in it goes. */
  readonly reviewed?: string;
  /** Stops after what is in hand; the next run goes on. */
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970; the system's clock when left out. */
  readonly now?: () => number;
  /** Random UUIDs when left out. */
  readonly newId?: () => string;
  /** Between batches, so that pushes come in. */
  readonly pause?: (signal: AbortSignal | undefined) => Promise<void>;
  /** The object of that key could not be deleted: to be logged. */
  readonly onFailure?: (key: string, error: unknown) => void;
};

/** What came of a run, as its log line tells it. */
export type Collected =
  | ({
      readonly status: RunEnd["state"];
      readonly id: string;
      readonly surface: string;
      /** Undefined for the default surface. */
      readonly segment: string | undefined;
      readonly dryRun: boolean;
      /** Manifests and blobs; links have no bytes of their own. */
      readonly candidates: Totals;
      readonly error?: string;
    } & Swept)
  /** Another runner is at it. */
  | { readonly status: "busy" }
  | { readonly status: "refused"; readonly reason: string };

const REPOSITORIES_AT_ONCE = 100;
const MARKED_AT_ONCE = 500;
const PAUSE_MS = 20;

/**
 * One run over a surface: marks what no root reaches and, unless it is a dry run, takes it away one
 * by one, each with a transaction of its own that asks again. Aborts before anything is selected
 * when what must stay cannot be read. Rejects with a `LostLeaseError` when another runner took
 * over, and with whatever the catalog rejects with; what it began then, a later run goes on with.
 */
export async function collectGarbage(
  collector: Collector,
  options: CollectOptions,
): Promise<Collected> {
  const { surface, reviewed, newId = randomUUID, now = Date.now } = options;
  const refused =
    reviewed === undefined ? undefined : await refusalOf(collector, surface, reviewed);
  if (refused !== undefined) return { status: "refused", reason: refused };
  const name = `oci-gc ${surface.name}`;
  await using lease = await holdLease(collector.leases, { name, holder: newId(), now });
  // Awaited here, so that the lease lasts as long as the run.
  return lease ? await collect(collector, options, lease) : { status: "busy" };
}

/** Why the run may not be bound to that report. */
async function refusalOf(
  { catalog }: Collector,
  surface: Surface,
  id: string,
): Promise<string | undefined> {
  const report = await catalog.reports.report(id);
  if (!report) return `there is no report ${id} any more, or never was`;
  if (report.surface !== surface.name) return `the report ${id} is about ${report.surface}`;
  if (report.state === "finished") return undefined;
  return `the report ${id} is not complete: that run is or was ${report.state}`;
}

async function collect(
  { catalog, files }: Collector,
  options: CollectOptions,
  lease: HeldLease,
): Promise<Collected> {
  const { surface, dryRun, signal, now = Date.now, newId = randomUUID } = options;
  const { pause = shortPause, onFailure = () => {} } = options;
  const run = newRun(options, lease, { startedAt: now(), id: newId() });
  const goesOn = async () => {
    if (signal?.aborted) return false;
    await lease.renew();
    return true;
  };
  const work = { catalog, files, run, goesOn, pause: () => pause(signal), onFailure };
  const untaggedSince = (repository: RepositoryName) => untaggedSinceOf(run, options, repository);

  await catalog.runs.begin(run);
  const resumed = dryRun ? 0 : await deleteClaimed(work);
  const marked = await mark(work, surface, untaggedSince);
  const isMarked = marked.status === "finished";
  const swept = isMarked && !dryRun ? await sweep(work, untaggedSince) : NOTHING_SWEPT;
  const state = isMarked && signal?.aborted ? "stopped" : marked.status;
  const error = marked.status === "aborted" ? { error: marked.error } : {};
  const { removed } = swept;
  await catalog.runs.finish(run, { state, finishedAt: new Date(now()), removed, ...error });
  return {
    status: state,
    id: run.id,
    surface: surface.name,
    segment: "segment" in surface ? surface.segment : undefined,
    dryRun,
    candidates: candidatesOf(await catalog.reports.report(run.id)),
    ...swept,
    resumed,
    ...error,
  };
}

const NOTHING: Totals = { count: 0, bytes: 0 };
const NOTHING_SWEPT: Swept = { removed: NOTHING, links: 0, kept: 0, failed: 0, resumed: 0 };

function newRun(
  { surface, dryRun, minimumAgeMs, clockThresholdMs, reviewed }: CollectOptions,
  { name, fence }: HeldLease,
  { startedAt, id }: { readonly startedAt: number; readonly id: string },
): NewRun {
  return {
    id,
    lease: name,
    fence,
    surface: surface.name,
    dryRun,
    startedAt: new Date(startedAt),
    unusedSince: new Date(startedAt - minimumAgeMs - clockThresholdMs),
    ...(reviewed !== undefined && { reviewed }),
  };
}

/** Rule R4. */
function untaggedSinceOf(
  { unusedSince, startedAt }: NewRun,
  { keepUntaggedMs, clockThresholdMs }: CollectOptions,
  repository: RepositoryName,
): Date {
  const keptMs = keepUntaggedMs?.(repository) ?? 0;
  const since = startedAt.getTime() - keptMs - clockThresholdMs;
  return new Date(Math.max(0, Math.min(unusedSince.getTime(), since)));
}

type Outcome =
  | { readonly status: "finished" | "stopped" }
  | { readonly status: "aborted"; readonly error: string };

async function mark(
  work: Work,
  surface: Surface,
  untaggedSince: (repository: RepositoryName) => Date,
): Promise<Outcome> {
  const { catalog, run, goesOn, pause } = work;
  for await (const repository of repositoriesOf(catalog, surface)) {
    if (!(await goesOn())) return { status: "stopped" };
    const wanted = { repository, untaggedSince: untaggedSince(repository) };
    const marked = await catalog.marks.mark(run, wanted);
    if (marked.status === "broken")
      return { status: "aborted", error: wordsFor(repository, marked) };
  }
  const steps = [
    () => catalog.marks.markLinks(run, surface, MARKED_AT_ONCE),
    () => catalog.marks.markBlobs(run, MARKED_AT_ONCE),
  ];
  for (const step of steps) {
    for (let goOn = true; goOn;) {
      if (!(await goesOn())) return { status: "stopped" };
      const { count, more } = await step();
      if (count > 0) await pause();
      goOn = more;
    }
  }
  return { status: "finished" };
}

async function* repositoriesOf(
  catalog: GarbageCatalog,
  surface: Surface,
): AsyncGenerator<RepositoryName> {
  const limit = REPOSITORIES_AT_ONCE;
  let page = await catalog.marks.repositories(surface, { limit });
  for (;;) {
    yield* page;
    const after = page.at(-1);
    if (after === undefined || page.length < limit) return;
    page = await catalog.marks.repositories(surface, { limit, after });
  }
}

function wordsFor(
  repository: RepositoryName,
  { manifest, missing }: Extract<Marked, { status: "broken" }>,
): string {
  const trouble = missing === undefined ? "cannot be read" : `needs ${missing}, which is not there`;
  return (
    `${repository}@${manifest} must stay, but ${trouble}; nothing was collected. ` +
    "Push what is missing again, or delete the manifest."
  );
}

function candidatesOf(report: RunReport | undefined): Totals {
  const { manifests = NOTHING, blobs = NOTHING } = report ?? {};
  return { count: manifests.count + blobs.count, bytes: manifests.bytes + blobs.bytes };
}

async function shortPause(signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(PAUSE_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
}
