import { SYSTEM } from "@sealhouse/events";
import { reportExpiry } from "@sealhouse/oci-distribution";
import type { NewRun, RunEnd, RunKey, RunReport } from "@sealhouse/oci-distribution";
import type { Changes } from "../../transactions/changes.ts";
import type { QueryPort, Row, Statement } from "../../raw/query-port.ts";
import { flagOf, numberOf, optionalTextOf, optionalTimeOf, textOf, timeOf } from "../../raw/row.ts";

const FORGET_OLD: Statement = {
  name: "gc-forget-runs",
  sql: `delete from oci_gc_runs
    where (started_at < ? or (started_at < ? and dry_run = ?)) and id <> ?`,
};
const OPEN: Statement = {
  name: "gc-open-run",
  sql: `insert into oci_gc_runs (id, surface, dry_run, reviewed, state, unused_since, started_at,
    removed_count, removed_bytes) values (?, ?, ?, ?, 'running', ?, ?, 0, 0)`,
};
const CLOSE: Statement = {
  name: "gc-close-run",
  sql: `update oci_gc_runs set state = ?, finished_at = ?, removed_count = ?, removed_bytes = ?,
    error = ? where id = ? and state = 'running'`,
};
const DROP_CANDIDATES: Statement = {
  name: "gc-drop-candidates",
  sql: "delete from oci_gc_candidates where run_id = ?",
};
const COLUMNS = `id, surface, dry_run, reviewed, state, started_at, finished_at, removed_count,
  removed_bytes, error`;
const ONE: Statement = {
  name: "gc-run",
  sql: `select ${COLUMNS} from oci_gc_runs where id = ?`,
};
const NEWEST: Statement = {
  name: "gc-runs",
  sql: `select ${COLUMNS} from oci_gc_runs order by started_at desc, id desc limit ?`,
};
const TALLIES: Statement = {
  name: "gc-tallies",
  sql: `select kind, cast(count(*) as bigint) as entries,
      cast(coalesce(sum(size), 0) as bigint) as bytes
    from oci_gc_candidates where run_id = ? group by kind`,
};

export function begin(changes: Changes, run: NewRun): Promise<void> {
  return changes.transaction(async (unit) => {
    const { id, surface, dryRun, reviewed, unusedSince, startedAt } = run;
    const before = reportExpiry(startedAt);
    await unit.run(FORGET_OLD, [before.runs, before.dryRuns, true, reviewed ?? ""]);
    await unit.run(OPEN, [id, surface, dryRun, reviewed, unusedSince, startedAt]);
  });
}

/** @throws Error when the run is already closed */
export function finish(changes: Changes, run: RunKey, end: RunEnd): Promise<void> {
  return changes.transaction(async (unit) => {
    const { state, finishedAt, removed, error } = end;
    const closed = [state, finishedAt, removed.count, removed.bytes, error, run.id];
    if ((await unit.run(CLOSE, closed)) === 0) {
      throw new Error(`The garbage collection ${run.id} is already closed.`);
    }
    if (state === "aborted") await unit.run(DROP_CANDIDATES, [run.id]);
    const [row] = await unit.read(ONE, [run.id]);
    if (!row || flagOf(row, "dry_run")) return;
    const report = reportOf(row, await unit.read(TALLIES, [run.id]));
    const { id, surface, manifests, blobs } = report;
    await changes.event(unit, {
      type: "gc.completed",
      subject: `oci/${surface}`,
      caller: SYSTEM,
      detail: {
        run: id,
        surface,
        state,
        // As in logs and metrics; a link is nothing that takes room.
        candidates: manifests.count + blobs.count,
        candidateBytes: manifests.bytes + blobs.bytes,
        removed: removed.count,
        removedBytes: removed.bytes,
        ...(error !== undefined && { error }),
      },
    });
  });
}

export function createReports(port: QueryPort): {
  report(id: string): Promise<RunReport | undefined>;
  reports(limit: number): Promise<readonly RunReport[]>;
} {
  const withTallies = async (row: Row) =>
    reportOf(row, await port.all(TALLIES, [textOf(row, "id")]));
  return {
    async report(id) {
      const row = await port.one(ONE, [id]);
      return row && withTallies(row);
    },
    async reports(limit) {
      const reports: RunReport[] = [];
      for (const row of await port.all(NEWEST, [limit])) reports.push(await withTallies(row));
      return reports;
    },
  };
}

function reportOf(row: Row, tallies: readonly Row[]): RunReport {
  const of = (kind: string) => {
    const tally = tallies.find((one) => textOf(one, "kind") === kind);
    return { count: tally ? numberOf(tally, "entries") : 0, bytes: tally ? bytesOf(tally) : 0 };
  };
  const reviewed = optionalTextOf(row, "reviewed");
  const finishedAt = optionalTimeOf(row, "finished_at");
  const error = optionalTextOf(row, "error");
  return {
    id: textOf(row, "id"),
    surface: textOf(row, "surface"),
    dryRun: flagOf(row, "dry_run"),
    startedAt: timeOf(row, "started_at"),
    state: stateOf(row),
    manifests: of("manifest"),
    links: of("link"),
    blobs: of("blob"),
    removed: { count: numberOf(row, "removed_count"), bytes: numberOf(row, "removed_bytes") },
    ...(reviewed !== undefined && { reviewed }),
    ...(finishedAt && { finishedAt }),
    ...(error !== undefined && { error }),
  };
}

function bytesOf(tally: Row): number {
  return numberOf(tally, "bytes");
}

const STATES = ["running", "finished", "aborted", "stopped"] as const;

function stateOf(row: Row): RunReport["state"] {
  const text = textOf(row, "state");
  return STATES.find((state) => state === text) ?? "aborted";
}
