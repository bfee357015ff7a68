import type { ReplacementPlan } from "@sealhouse/nuget-protocol";
import { timeAfter, VULNERABILITY_GROUP } from "@sealhouse/nuget-protocol";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import type { Parameter, Statement } from "../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../raw/row.ts";

/** New advisories of a source. */
export type AdvisoryChange = {
  readonly source: string;
  readonly state: string | undefined;
  readonly plan: ReplacementPlan<{ readonly row: number }>;
  /** When the source had changed last, as the plan knows it; undefined for a new one. */
  readonly seenAt: Date | undefined;
};

export type AdvisoryChanges = {
  /**
   * Applies a change. `outdated`: the source has changed since the plan, and nothing was written.
   */
  apply(change: AdvisoryChange): Promise<"applied" | "outdated">;
  checked(source: string): Promise<void>;
  remove(source: string): Promise<void>;
};

/** Rows per statement; seven parameters each. */
const ROWS_AT_ONCE = 100;

const SOURCES: Statement = {
  name: "nuget-advisory-sources-for-change",
  sql: "select name, base_at, updated_at from nuget_advisory_sources",
};
const UPDATE_SOURCE: Statement = {
  name: "nuget-advisory-source-update",
  sql: `update nuget_advisory_sources set updated_at = ?, checked_at = ?, state = ?
    where name = ?`,
};
const INSERT_SOURCE: Statement = {
  name: "nuget-advisory-source-insert",
  sql: `insert into nuget_advisory_sources (name, base_at, updated_at, checked_at, state)
    values (?, ?, ?, ?, ?)`,
};
const CHECKED: Statement = {
  name: "nuget-advisory-source-checked",
  sql: "update nuget_advisory_sources set checked_at = ? where name = ?",
};
const REMOVE_SOURCE: Statement = {
  name: "nuget-advisory-source-remove",
  sql: "delete from nuget_advisory_sources where name = ?",
};
const OF_SOURCE: Statement = {
  name: "nuget-advisories-of-source-for-change",
  sql: "select id, lower_id from nuget_advisories where source = ?",
};
const REBASE: Statement = {
  name: "nuget-advisories-rebase",
  sql: "update nuget_advisories set page = 'base' where page = 'update'",
};
const REBASE_SOURCES: Statement = {
  name: "nuget-advisory-sources-rebase",
  sql: "update nuget_advisory_sources set base_at = ?",
};

export function createAdvisoryChanges(changes: Changes): AdvisoryChanges {
  return {
    apply: (change) => changes.transaction((unit) => apply(changes, unit, change)),
    checked: (source) =>
      changes.transaction(async ({ run }) => {
        await run(CHECKED, [changes.now(), source]);
      }),
    remove: (source) => changes.transaction((unit) => remove(changes, unit, source)),
  };
}

async function apply(
  changes: Changes,
  unit: Unit,
  { source, state, plan, seenAt }: AdvisoryChange,
): Promise<"applied" | "outdated"> {
  const now = changes.now();
  const text = state === undefined ? undefined : storableText(state);
  if (seenAt && plan.ids.length === 0) {
    await unit.run(UPDATE_SOURCE, [seenAt, now, text, source]);
    return "applied";
  }
  // The group of the pages is what changes of advisories wait for each other by.
  await changes.stale(unit, VULNERABILITY_GROUP);
  const { times, updatedAt } = await sourceTimes(unit, source);
  if (updatedAt?.getTime() !== seenAt?.getTime()) return "outdated";
  const at = timeAfter(times, now);
  await changes.staleAll(unit, groupsOf(plan.ids));
  await deleteRows(unit, plan.removed);
  await insertRows(unit, source, plan);
  const isKnown = (await unit.run(UPDATE_SOURCE, [at, now, text, source])) > 0;
  if (!isKnown) await unit.run(INSERT_SOURCE, [source, at, at, now, text]);
  if (plan.page === "base") await rebase(unit, at);
  return "applied";
}

async function remove(changes: Changes, unit: Unit, source: string): Promise<void> {
  await changes.stale(unit, VULNERABILITY_GROUP);
  const { times, updatedAt } = await sourceTimes(unit, source);
  if (!updatedAt) return;
  const rows = await unit.read(OF_SOURCE, [source]);
  const ids = new Set(rows.map((row) => textOf(row, "lower_id")));
  await changes.staleAll(unit, groupsOf([...ids]));
  await deleteRows(
    unit,
    rows.map((row) => ({ row: numberOf(row, "id") })),
  );
  await unit.run(REMOVE_SOURCE, [source]);
  await rebase(unit, timeAfter(times, changes.now()));
}

async function sourceTimes({ read }: Unit, source: string) {
  const rows = await read(SOURCES, []);
  const known = rows.find((row) => textOf(row, "name") === source);
  return {
    updatedAt: known && timeOf(known, "updated_at"),
    times: rows.flatMap((row) => [timeOf(row, "base_at"), timeOf(row, "updated_at")]),
  };
}

async function rebase({ run }: Unit, at: Date): Promise<void> {
  await run(REBASE, []);
  await run(REBASE_SOURCES, [at]);
}

async function deleteRows({ run }: Unit, rows: readonly { readonly row: number }[]): Promise<void> {
  for (const some of batches(rows, ROWS_AT_ONCE)) {
    const list = some.map(() => "?").join(", ");
    const sql = `delete from nuget_advisories where id in (${list})`;
    await run(
      { sql },
      some.map(({ row }) => row),
    );
    await yieldToEventLoop();
  }
}

async function insertRows(
  { run }: Unit,
  source: string,
  { added, page }: AdvisoryChange["plan"],
): Promise<void> {
  for (const some of batches(added, ROWS_AT_ONCE)) {
    const list = some.map(() => "(?, ?, ?, ?, ?, ?, ?)").join(", ");
    const sql = `insert into nuget_advisories
      (source, page, advisory_id, lower_id, severity, url, versions) values ${list}`;
    const parameters = some.flatMap(({ advisoryId, id, severity, url, versions }): Parameter[] => [
      source,
      page,
      advisoryId,
      id,
      severity,
      url,
      versions,
    ]);
    await run({ sql }, parameters);
    // SQLite answers at once, so nothing else would get its turn before the last row.
    await yieldToEventLoop();
  }
}

function groupsOf(ids: readonly string[]): readonly string[] {
  return ids.map((id) => `nuget/${id}`);
}
