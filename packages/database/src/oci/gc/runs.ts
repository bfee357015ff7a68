import { sql } from "#kysely";
import { SYSTEM } from "@sealhouse/events";
import { reportExpiry } from "@sealhouse/oci-distribution";
import type { GarbageReports, GarbageRuns, RunReport, Totals } from "@sealhouse/oci-distribution";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Changes } from "../../transactions/changes.ts";
import { ociParam } from "../oci-param.ts";
import { NOTHING, totals } from "./mark.ts";

const ID = { id: param.text(36) };

const FORGET_OLD = defineStatement(
  "gc-forget-runs",
  { runsBefore: param.time, dryRunsBefore: param.time, except: param.text(36) },
  (db, { runsBefore, dryRunsBefore, except }, own) =>
    db
      .deleteFrom("oci_gc_runs")
      .where((run) =>
        run.or([
          run("started_at", "<", runsBefore),
          run.and([run("started_at", "<", dryRunsBefore), run("dry_run", "=", own.yes)]),
        ]),
      )
      .where("id", "<>", except),
);
const OPEN = defineStatement(
  "gc-open-run",
  {
    ...ID,
    surface: ociParam.repositoryName,
    dryRun: param.flag,
    reviewed: param.optional(param.text(36)),
    unusedSince: param.time,
    startedAt: param.time,
  },
  (db, parameters) =>
    db.insertInto("oci_gc_runs").values({
      ...inColumns(parameters),
      state: sql.lit("running"),
      removed_count: sql.lit(0),
      removed_bytes: sql.lit(0),
    }),
);
const CLOSE = defineStatement(
  "gc-close-run",
  {
    ...ID,
    state: param.text(16),
    finishedAt: param.time,
    count: param.whole,
    bytes: param.whole,
    error: param.optional(param.longText),
  },
  (db, parameters) =>
    db
      .updateTable("oci_gc_runs")
      .set({
        state: parameters.state,
        finished_at: parameters.finishedAt,
        removed_count: parameters.count,
        removed_bytes: parameters.bytes,
        error: parameters.error,
      })
      .where("id", "=", parameters.id)
      .where("state", "=", sql.lit("running")),
);
const DROP_CANDIDATES = defineStatement("gc-drop-candidates", ID, (db, { id }) =>
  db.deleteFrom("oci_gc_candidates").where("run_id", "=", id),
);
const COLUMNS = [
  "id",
  "surface",
  "dry_run",
  "reviewed",
  "state",
  "started_at",
  "finished_at",
  "removed_count",
  "removed_bytes",
  "error",
] as const;
const ONE = defineStatement("gc-run", ID, (db, { id }) =>
  db.selectFrom("oci_gc_runs").where("id", "=", id).select(COLUMNS),
);
const NEWEST = defineStatement("gc-runs", { limit: param.whole }, (db, { limit }, own) =>
  own.limit(
    db
      .selectFrom("oci_gc_runs")
      .select(COLUMNS)
      .orderBy("started_at", "desc")
      .orderBy("id", "desc"),
    limit,
  ),
);
const TALLIES = defineStatement("gc-tallies", ID, (db, { id }, own) =>
  db
    .selectFrom("oci_gc_candidates")
    .where("run_id", "=", id)
    .select(["kind", ...totals(own)])
    .groupBy("kind"),
);

export function createRuns(changes: Changes): GarbageRuns {
  return {
    begin: ({ id, surface, dryRun, reviewed, unusedSince, startedAt }) =>
      changes.transaction(async ({ queries }) => {
        const { runs, dryRuns } = reportExpiry(startedAt);
        const expired = { runsBefore: runs, dryRunsBefore: dryRuns, except: reviewed ?? "" };
        await queries.run(FORGET_OLD, expired);
        await queries.run(OPEN, { id, surface, dryRun, reviewed, unusedSince, startedAt });
      }),
    /** @throws Error when the run is already closed */
    finish: ({ id }, { state, finishedAt, removed, error }) =>
      changes.transaction(async (unit) => {
        const { queries } = unit;
        const closed = { id, state, finishedAt, ...removed, error };
        if ((await queries.run(CLOSE, closed)) === 0) {
          throw new Error(`The garbage collection ${id} is already closed.`);
        }
        if (state === "aborted") await queries.run(DROP_CANDIDATES, { id });
        const row = await queries.one(ONE, { id });
        if (!row || row.dry_run) return;
        const { surface, manifests, blobs } = reportOf(row, await queries.all(TALLIES, { id }));
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
      }),
  };
}

type RunRow = RowOf<typeof ONE>;

export function createReports(queries: Queries): Pick<GarbageReports, "report" | "reports"> {
  const withTallies = async (row: RunRow) =>
    reportOf(row, await queries.all(TALLIES, { id: row.id }));
  return {
    async report(id) {
      const row = await queries.one(ONE, { id });
      return row && withTallies(row);
    },
    async reports(limit) {
      const reports: RunReport[] = [];
      for (const row of await queries.all(NEWEST, { limit })) reports.push(await withTallies(row));
      return reports;
    },
  };
}

function reportOf(row: RunRow, tallies: readonly RowOf<typeof TALLIES>[]): RunReport {
  const of = (kind: string): Totals => {
    const { count, bytes } = tallies.find((tally) => tally.kind === kind) ?? NOTHING;
    return { count, bytes };
  };
  return {
    id: row.id,
    surface: row.surface,
    dryRun: row.dry_run,
    startedAt: row.started_at,
    state: stateOf(row.state),
    manifests: of("manifest"),
    links: of("link"),
    blobs: of("blob"),
    removed: { count: row.removed_count, bytes: row.removed_bytes },
    ...(row.reviewed !== null && { reviewed: row.reviewed }),
    ...(row.finished_at && { finishedAt: row.finished_at }),
    ...(row.error !== null && { error: row.error }),
  };
}

const STATES = ["running", "finished", "aborted", "stopped"] as const;

function stateOf(text: string): RunReport["state"] {
  return STATES.find((state) => state === text) ?? "aborted";
}
