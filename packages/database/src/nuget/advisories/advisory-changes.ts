import type { ReplacementPlan } from "@sealhouse/nuget-protocol";
import { timeAfter, VULNERABILITY_GROUP } from "@sealhouse/nuget-protocol";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { sql } from "#kysely";
import { batches } from "../../raw/batches.ts";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import { storableText } from "../../transactions/changes.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";

/** New advisories of a source. */
export type AdvisoryChange = {
  readonly source: string;
  readonly state: string | undefined;
  readonly plan: ReplacementPlan<{ readonly row: number }>;
  /** When the source had changed last, as the plan knows it; undefined for a new one. */
  readonly seenAt: Date | undefined;
};

/** Rows per statement. */
const ROWS_AT_ONCE = 100;

const NAME = { name: param.text(64) };
const SOURCE = {
  ...NAME,
  updatedAt: param.time,
  checkedAt: param.time,
  state: param.optional(param.longText),
};

const TIMES = defineStatement("nuget-advisory-sources-for-change", {}, (db) =>
  db.selectFrom("nuget_advisory_sources").select(["name", "base_at", "updated_at"]),
);
const UPDATE_SOURCE = defineStatement(
  "nuget-advisory-source-update",
  SOURCE,
  (db, { name, ...row }) =>
    db.updateTable("nuget_advisory_sources").set(inColumns(row)).where("name", "=", name),
);
const INSERT_SOURCE = defineStatement(
  "nuget-advisory-source-insert",
  SOURCE,
  (db, { name, updatedAt, checkedAt, state }) =>
    db.insertInto("nuget_advisory_sources").values({
      name,
      base_at: updatedAt,
      updated_at: updatedAt,
      checked_at: checkedAt,
      state,
    }),
);
const CHECKED = defineStatement(
  "nuget-advisory-source-checked",
  { ...NAME, checkedAt: param.time },
  (db, { name, checkedAt }) =>
    db
      .updateTable("nuget_advisory_sources")
      .set({ checked_at: checkedAt })
      .where("name", "=", name),
);
const REMOVE_SOURCE = defineStatement("nuget-advisory-source-remove", NAME, (db, { name }) =>
  db.deleteFrom("nuget_advisory_sources").where("name", "=", name),
);
const OF_SOURCE = defineStatement("nuget-advisories-of-source-for-change", NAME, (db, { name }) =>
  db.selectFrom("nuget_advisories").where("source", "=", name).select(["id", "lower_id"]),
);
const REBASE = defineStatement("nuget-advisories-rebase", {}, (db) =>
  db
    .updateTable("nuget_advisories")
    .set({ page: sql.lit("base") })
    .where("page", "=", sql.lit("update")),
);
const REBASE_SOURCES = defineStatement(
  "nuget-advisory-sources-rebase",
  { baseAt: param.time },
  (db, { baseAt }) => db.updateTable("nuget_advisory_sources").set({ base_at: baseAt }),
);
const DELETE = defineStatement(
  "nuget-advisories-delete",
  { ids: param.wholes },
  (db, parameters, own) =>
    own.byList(db.deleteFrom("nuget_advisories").where("id", "in", own.wholesIn(parameters.ids))),
);
const ADVISORY = {
  advisory_id: "text",
  lower_id: "text",
  severity: "whole",
  url: "text",
  versions: "text",
} as const;
const INSERT = defineStatement(
  "nuget-advisories-insert",
  { source: param.text(64), page: param.text(16), advisories: param.records },
  (db, { source, page, advisories }, own) =>
    db
      .insertInto("nuget_advisories")
      .columns(["source", "page", "advisory_id", "lower_id", "severity", "url", "versions"])
      .expression(
        db
          .selectFrom(own.records(advisories, ADVISORY).as("added"))
          .select([
            sql<string>`${source}`.as("source"),
            sql<string>`${page}`.as("page"),
            "added.advisory_id",
            "added.lower_id",
            "added.severity",
            "added.url",
            "added.versions",
          ]),
      ),
);

export async function markChecked(changes: Changes, source: string): Promise<void> {
  await changes.transaction(({ queries }) =>
    queries.run(CHECKED, { name: source, checkedAt: changes.now() }),
  );
}

/** Applies a change. `outdated`: the source has changed since the plan, and nothing was written. */
export function applyReplacement(
  changes: Changes,
  change: AdvisoryChange,
): Promise<"applied" | "outdated"> {
  return changes.transaction((unit) => apply(changes, unit, change));
}

export function removeSource(changes: Changes, source: string): Promise<void> {
  return changes.transaction((unit) => remove(changes, unit, source));
}

async function apply(
  changes: Changes,
  unit: Unit,
  { source, state, plan, seenAt }: AdvisoryChange,
): Promise<"applied" | "outdated"> {
  const now = changes.now();
  const checked = {
    name: source,
    checkedAt: now,
    state: state === undefined ? undefined : storableText(state),
  };
  if (seenAt && plan.ids.length === 0) {
    await unit.queries.run(UPDATE_SOURCE, { ...checked, updatedAt: seenAt });
    return "applied";
  }
  // The group of the pages is what changes of advisories wait for each other by.
  await changes.stale(unit, VULNERABILITY_GROUP);
  const { times, updatedAt } = await sourceTimes(unit, source);
  if (updatedAt?.getTime() !== seenAt?.getTime()) return "outdated";
  const time = timeAfter(times, now);
  await changes.staleAll(unit, groupsOf(plan.ids));
  await deleteRows(unit, plan.removed);
  await insertRows(unit, source, plan);
  const row = { ...checked, updatedAt: time };
  const isKnown = (await unit.queries.run(UPDATE_SOURCE, row)) > 0;
  if (!isKnown) await unit.queries.run(INSERT_SOURCE, row);
  if (plan.page === "base") await rebase(unit, time);
  return "applied";
}

async function remove(changes: Changes, unit: Unit, source: string): Promise<void> {
  await changes.stale(unit, VULNERABILITY_GROUP);
  const { times, updatedAt } = await sourceTimes(unit, source);
  if (!updatedAt) return;
  const rows = await unit.queries.all(OF_SOURCE, { name: source });
  const ids = new Set(rows.map((row) => row.lower_id));
  await changes.staleAll(unit, groupsOf([...ids]));
  await deleteRows(
    unit,
    rows.map((row) => ({ row: row.id })),
  );
  await unit.queries.run(REMOVE_SOURCE, { name: source });
  await rebase(unit, timeAfter(times, changes.now()));
}

async function sourceTimes({ queries }: Unit, source: string) {
  const rows = await queries.all(TIMES, {});
  return {
    updatedAt: rows.find((row) => row.name === source)?.updated_at,
    times: rows.flatMap((row) => [row.base_at, row.updated_at]),
  };
}

async function rebase({ queries }: Unit, baseAt: Date): Promise<void> {
  await queries.run(REBASE, {});
  await queries.run(REBASE_SOURCES, { baseAt });
}

async function deleteRows(
  { queries }: Unit,
  rows: readonly { readonly row: number }[],
): Promise<void> {
  for (const some of batches(rows, ROWS_AT_ONCE)) {
    await queries.run(DELETE, { ids: some.map(({ row }) => row) });
    await yieldToEventLoop();
  }
}

async function insertRows(
  { queries }: Unit,
  source: string,
  { added, page }: AdvisoryChange["plan"],
): Promise<void> {
  for (const some of batches(added, ROWS_AT_ONCE)) {
    const advisories = some.map(({ advisoryId, id, severity, url, versions }) => ({
      ...(advisoryId !== undefined && { advisory_id: advisoryId }),
      lower_id: id,
      severity,
      url,
      versions,
    }));
    await queries.run(INSERT, { source, page, advisories });
    // SQLite answers at once, so nothing else would get its turn before the last row.
    await yieldToEventLoop();
  }
}

function groupsOf(ids: readonly string[]): readonly string[] {
  return ids.map((id) => `nuget/${id}`);
}
