import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { runOperatorWork } from "@sealhouse/jobs";
import type { BusyOperator, Leases } from "@sealhouse/jobs";
import type { RepositoryName } from "../repository-name.ts";
import type {
  GarbageCatalog,
  GarbageFiles,
  Marked,
  NewRun,
  RunEnd,
  RunReport,
  Surface,
  Totals,
} from "./ports.ts";
import type { Swept, Work } from "./sweep.ts";
import { deleteClaimed, sweep } from "./sweep.ts";

/** Ports of the collector. */
export type Collector = {
  readonly catalog: GarbageCatalog;
  readonly files: GarbageFiles;
  readonly leases: Leases;
};

/** Options of one garbage collection run. */
export type CollectOptions = {
  readonly surface: Surface;
  /** Whether the run only writes a report and deletes nothing. */
  readonly dryRun: boolean;
  /** Rows used by a push, a pull or a positive answer within this time stay. */
  readonly minimumAgeMs: number;
  /** Maximum lag of the clocks of rows (the throttle of rule R1). A row that is older than the
   * minimum age by less than this may have been used since. */
  readonly clockThresholdMs: number;
  /** Milliseconds after their last use that untagged manifests of a repository stay. At least the
   * minimum age, which is the default. `Infinity`: forever. */
  readonly keepUntaggedMs?: (repository: RepositoryName) => number;
  /** Id of a report that an operator reviewed. Only its entries are deleted. */
  readonly reviewed?: string;
  /** Stops after the current step; the next run continues. */
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970; the system's clock when left out. */
  readonly now?: () => number;
  /** Random UUIDs when left out. */
  readonly newId?: () => string;
  /** Called between batches, so that pushes can proceed. */
  readonly pause?: (signal: AbortSignal) => Promise<void>;
  /** Called with the key of an object that could not be deleted. */
  readonly onFailure?: (key: string, error: unknown) => void;
};

/** Result of a run, as its log line shows it. */
export type Collected =
  | ({
      readonly status: RunEnd["state"];
      readonly id: string;
      readonly surface: string;
      /** Undefined for the default surface. */
      readonly segment: string | undefined;
      readonly dryRun: boolean;
      /** Manifests and blobs; links have no bytes. */
      readonly candidates: Totals;
      readonly error?: string;
    } & Swept)
  /** Another runner collects this surface. */
  | BusyOperator
  | { readonly status: "refused"; readonly reason: string };

const REPOSITORIES_AT_ONCE = 100;
const MARKED_AT_ONCE = 500;
const PAUSE_MS = 20;

/**
 * Runs the collector over one surface. Marks the manifests, links and blobs that no root reaches
 * and, unless it is a dry run, removes them one by one. Each removal is a transaction that checks
 * its candidate again. Aborts before it removes anything when content that must stay cannot be
 * read. The next run continues what a failed run began.
 *
 * @throws LostLeaseError when another runner acquired the lease
 */
export async function collectGarbage(
  collector: Collector,
  options: CollectOptions,
): Promise<Collected> {
  const { surface, reviewed, signal } = options;
  const refused =
    reviewed === undefined ? undefined : await refusalOf(collector, surface, reviewed);
  if (refused !== undefined) return { status: "refused", reason: refused };
  const lease = { name: `oci-gc ${surface.name}`, signal };
  const outcome = await runOperatorWork(collector.leases, lease, (leaseSignal) =>
    collect(collector, { ...options, signal: leaseSignal }),
  );
  return outcome.status === "busy" ? outcome : outcome.result;
}

/** Returns why the run cannot use the report; undefined when it can. */
async function refusalOf(
  { catalog }: Collector,
  surface: Surface,
  id: string,
): Promise<string | undefined> {
  const report = await catalog.reports.report(id);
  if (!report) return `the report ${id} does not exist or has expired`;
  if (report.surface !== surface.name) return `the report ${id} is about ${report.surface}`;
  if (report.state === "finished") return undefined;
  return `the report ${id} is not complete: that run is or was ${report.state}`;
}

async function collect(
  { catalog, files }: Collector,
  options: CollectOptions & { readonly signal: AbortSignal },
): Promise<Collected> {
  const { surface, dryRun, signal, now = Date.now, newId = randomUUID } = options;
  const { pause = shortPause, onFailure = () => {} } = options;
  const run = newRun(options, { startedAt: now(), id: newId() });
  const work = { catalog, files, run, signal, pause: () => pause(signal), onFailure };
  const untaggedSince = (repository: RepositoryName) => untaggedSinceOf(run, options, repository);

  await catalog.runs.begin(run);
  const resumed = dryRun ? 0 : await deleteClaimed(work);
  const marked = await mark(work, surface, untaggedSince);
  const isMarked = marked.status === "finished";
  const swept = isMarked && !dryRun ? await sweep(work, surface, untaggedSince) : NOTHING_SWEPT;
  const state = isMarked && signal.aborted ? "stopped" : marked.status;
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
  { startedAt, id }: { readonly startedAt: number; readonly id: string },
): NewRun {
  return {
    id,
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
  const { catalog, run, signal, pause } = work;
  for await (const repository of repositoriesOf(catalog, surface)) {
    if (signal.aborted) return { status: "stopped" };
    const target = { repository, untaggedSince: untaggedSince(repository) };
    const marked = await catalog.marks.mark(run, target);
    if (marked.status === "broken")
      return { status: "aborted", error: wordsFor(repository, marked) };
  }
  const steps = [
    () => catalog.marks.markLinks(run, surface, MARKED_AT_ONCE),
    () => catalog.marks.markBlobs(run, MARKED_AT_ONCE),
  ];
  for (const step of steps) {
    for (let goOn = true; goOn;) {
      if (signal.aborted) return { status: "stopped" };
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

async function shortPause(signal: AbortSignal): Promise<void> {
  await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
}
