import { currentFence, LostLeaseError } from "@sealhouse/jobs";
import { reportExpiry } from "../gc/kept-reports.ts";
import type {
  Candidate,
  GarbageReports,
  GarbageRuns,
  RunKey,
  RunReport,
  Totals,
} from "../gc/ports.ts";
import type { RunRow, State } from "./memory-state.ts";

export function createMemoryRuns(state: State): GarbageRuns {
  return {
    async begin(run) {
      requireFence(state);
      const expiry = reportExpiry(run.startedAt);
      for (const [id, { run: old }] of state.runs) {
        const isOld = old.startedAt < (old.dryRun ? expiry.dryRuns : expiry.runs);
        if (isOld && id !== run.reviewed) state.runs.delete(id);
      }
      state.runs.set(run.id, { run, manifests: [], links: [], blobs: [] });
    },
    async finish(run, end) {
      const row = runOf(state, run);
      row.end = end;
      if (end.state === "aborted") Object.assign(row, { manifests: [], links: [], blobs: [] });
      if (!row.run.dryRun) state.events.push(`gc.completed ${row.run.surface} ${end.state}`);
    },
  };
}

export function createMemoryReports(state: State): GarbageReports {
  return {
    async report(id) {
      const row = state.runs.get(id);
      return row && reportOf(row);
    },
    async reports(limit) {
      const newest = [...state.runs.values()].toReversed();
      const startOf = ({ run }: RunRow) => run.startedAt.getTime();
      return newest
        .toSorted((a, b) => startOf(b) - startOf(a))
        .slice(0, limit)
        .map(reportOf);
    },
    async candidates(run, { kind, limit, after, reviewed }) {
      const allowed =
        reviewed === undefined ? undefined : new Set(listOf(state, reviewed).map(nameOf));
      return listOf(state, run.id)
        .filter(
          (candidate) => candidate.kind === kind && candidate.position > (after?.position ?? 0),
        )
        .filter((candidate) => allowed?.has(nameOf(candidate)) ?? true)
        .slice(0, limit);
    },
  };
}

/** Rule R10. */
export function requireFence({ leases }: State): void {
  const fence = currentFence();
  if (fence && !leases.isCurrent(fence)) throw new LostLeaseError(fence.lease);
}

export function runOf(state: State, run: RunKey): RunRow {
  requireFence(state);
  const row = state.runs.get(run.id);
  if (!row) throw new Error(`the run ${run.id} has no report`);
  return row;
}

function listOf({ runs }: State, id: string): readonly Candidate[] {
  const row = runs.get(id);
  return row ? [...row.manifests, ...row.links, ...row.blobs] : [];
}

/** Identifies a candidate in all reports. */
export function nameOf(candidate: Candidate): string {
  return candidate.kind === "blob"
    ? candidate.digest
    : `${candidate.kind} ${candidate.repository}@${candidate.digest}`;
}

export function totalsOf(candidates: readonly { readonly size: number }[]): Totals {
  return { count: candidates.length, bytes: candidates.reduce((sum, { size }) => sum + size, 0) };
}

const NOTHING: Totals = { count: 0, bytes: 0 };

function reportOf({ run, manifests, links, blobs, end }: RunRow): RunReport {
  const { id, surface, dryRun, startedAt, reviewed } = run;
  return {
    id,
    surface,
    dryRun,
    startedAt,
    ...(reviewed !== undefined && { reviewed }),
    manifests: totalsOf(manifests),
    links: totalsOf(links),
    blobs: totalsOf(blobs),
    ...(end ?? { state: "running", removed: NOTHING }),
  };
}
