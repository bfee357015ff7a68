import type {
  Advisory,
  AdvisoryLookup,
  AdvisoryRecorder,
  AdvisorySource,
  AdvisoryState,
  NewAdvisory,
} from "@sealhouse/nuget-protocol";
import {
  advisoryKey,
  collectAdvisories,
  distinctAdvisories,
  planReplacement,
} from "@sealhouse/nuget-protocol";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import type { PortContext } from "../../port-context.ts";
import { batches } from "../../raw/batches.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Tables } from "../../statements/tables.ts";
import { applyReplacement, markChecked, removeSource } from "./advisory-changes.ts";

type Context = Pick<PortContext, "queries" | "changes">;

/** Rows read in one piece, so that a large source does not hold up other requests. */
const ROWS_AT_ONCE = 1000;
/** Another instance would have to replace the same source in each attempt. */
const ATTEMPTS_MAX = 5;

/** Ids per statement. Shorter lists are padded with invalid ids. */
const IDS_AT_ONCE = 20;

const ADVISORY = ["a.lower_id", "a.severity", "a.url", "a.versions", "a.advisory_id"] as const;
const PAGED = { after: param.whole, limit: param.whole };

const OF_ONE = defineStatement("nuget-advisories-of-1", { id: param.text(128) }, (db, { id }) =>
  advisoriesOf(db, id),
);
/**
 * One lookup per id, not one list: without table statistics, PostgreSQL then scans the whole table.
 * That takes 45 ms after an import instead of less than 1 ms.
 */
const OF_MANY = defineStatement(
  `nuget-advisories-of-${IDS_AT_ONCE}`,
  Object.fromEntries(
    Array.from({ length: IDS_AT_ONCE }, (_, index) => [`id${index}`, param.text(128)] as const),
  ),
  (db, ids) =>
    Object.values(ids)
      .map((id) => advisoriesOf(db, id))
      .reduce((some, more) => some.unionAll(more)),
);
const STATE = defineStatement("nuget-advisories-state", {}, (db) =>
  db
    .selectFrom("nuget_advisory_sources as s")
    .where((source) =>
      source.exists(
        source
          .selectFrom("nuget_advisories as a")
          .whereRef("a.source", "=", "s.name")
          .select("a.id"),
      ),
    )
    .select(({ fn }) => [
      fn.max<Date | null>("s.base_at").as("base_at"),
      fn.max<Date | null>("s.updated_at").as("updated_at"),
    ]),
);
const PAGE = defineStatement(
  "nuget-advisories-page",
  { ...PAGED, page: param.text(16) },
  (db, { after, limit, page }, own) =>
    own.limit(advisoriesAfter(db).where("a.id", ">", after).where("a.page", "=", page), limit),
);
const OF_SOURCE = defineStatement(
  "nuget-advisories-of-source",
  { ...PAGED, source: param.text(64) },
  (db, { after, limit, source }, own) =>
    own.limit(advisoriesAfter(db).where("a.id", ">", after).where("a.source", "=", source), limit),
);
const ON_UPDATE_PAGE = defineStatement("nuget-advisories-updates", {}, (db) =>
  db
    .selectFrom("nuget_advisories")
    .where("page", "=", sql.lit("update"))
    .select(({ fn }) => fn.countAll<number>().as("count")),
);
const SOURCES = defineStatement("nuget-advisory-sources", {}, (db) =>
  db.selectFrom("nuget_advisory_sources").select(["name", "updated_at", "checked_at", "state"]),
);

function advisoriesOf(db: Kysely<Tables>, id: Expression<string>) {
  return db
    .selectFrom("nuget_advisories as a")
    .where("a.lower_id", "=", id)
    .select([...ADVISORY, "a.source"]);
}

function advisoriesAfter(db: Kysely<Tables>) {
  return db
    .selectFrom("nuget_advisories as a")
    .select(["a.id", ...ADVISORY])
    .orderBy("a.id");
}

export function createAdvisories({ queries, changes }: Context): AdvisoryLookup & AdvisoryRecorder {
  return {
    async of(ids, sources) {
      const rows = await advisoriesOfAll(queries, ids);
      return byId(sources ? rows.filter((row) => sources.includes(row.source)) : rows);
    },
    state: () => stateOf(queries),
    variant: () => undefined,
    page: async (page) =>
      byId(
        await Array.fromAsync(
          everyRow((after) => queries.all(PAGE, { page, after, limit: ROWS_AT_ONCE })),
        ),
      ),
    replace: (source, advisories, state) =>
      replace({ queries, changes }, { source, state }, advisories),
    checked: (source) => markChecked(changes, source),
    remove: (source) => removeSource(changes, source),
    sources: () => sourcesOf(queries),
  };
}

async function advisoriesOfAll(
  queries: Queries,
  ids: readonly string[],
): Promise<readonly RowOf<typeof OF_ONE>[]> {
  const rows: RowOf<typeof OF_ONE>[] = [];
  for (const some of batches(ids, IDS_AT_ONCE)) {
    const [id = ""] = some;
    const padded = Array.from(
      { length: IDS_AT_ONCE },
      (_, index) => [`id${index}`, some[index] ?? ""] as const,
    );
    rows.push(
      ...(some.length === 1
        ? await queries.all(OF_ONE, { id })
        : await queries.all(OF_MANY, Object.fromEntries(padded))),
    );
  }
  return rows;
}

async function replace(
  { queries, changes }: Context,
  { source, state }: { readonly source: string; readonly state: string | undefined },
  advisories: AsyncIterable<NewAdvisory> | Iterable<NewAdvisory>,
): ReturnType<AdvisoryRecorder["replace"]> {
  const advisorySet = await collectAdvisories(source, advisories);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const knownSource = (await sourcesOf(queries)).find(({ name }) => name === source);
    const keptRows = new Map<string, { readonly id: string; readonly row: number }>();
    const rows = everyRow((after) =>
      queries.all(OF_SOURCE, { source, after, limit: ROWS_AT_ONCE }),
    );
    for await (const row of rows) {
      const advisory = { id: row.lower_id, ...advisoryOf(row) };
      keptRows.set(advisoryKey(advisory), { id: advisory.id, row: row.id });
    }
    const updates = (await queries.one(ON_UPDATE_PAGE, {}))?.count ?? 0;
    const plan = planReplacement(keptRows, advisorySet, updates);
    const seenAt = knownSource?.updatedAt;
    const outcome = await applyReplacement(changes, { source, state, plan, seenAt });
    if (outcome === "outdated") continue;
    return { added: plan.added.length, removed: plan.removed.length, total: advisorySet.size };
  }
  throw new Error(`the advisories of ${source} change all the time`);
}

type PagedRow = RowOf<typeof PAGE>;

/** By key, in pieces: other requests come in between. */
async function* everyRow(
  read: (after: number) => Promise<readonly PagedRow[]>,
): AsyncGenerator<PagedRow> {
  for (let after = 0; ;) {
    const rows = await read(after);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = last.id;
    await yieldToEventLoop();
  }
}

async function stateOf(queries: Queries): Promise<AdvisoryState | undefined> {
  const { base_at: baseAt, updated_at: updatedAt } = (await queries.one(STATE, {})) ?? {};
  if (!baseAt || !updatedAt) return undefined;
  return { baseAt, updatedAt: updatedAt > baseAt ? updatedAt : baseAt };
}

async function sourcesOf(queries: Queries): Promise<readonly AdvisorySource[]> {
  const rows = await queries.all(SOURCES, {});
  return rows.map(sourceOf).toSorted((entry, other) => (entry.name < other.name ? -1 : 1));
}

function sourceOf(row: RowOf<typeof SOURCES>): AdvisorySource {
  return {
    name: row.name,
    updatedAt: row.updated_at,
    checkedAt: row.checked_at,
    ...(row.state !== null && { state: row.state }),
  };
}

type AdvisoryRow = Omit<RowOf<typeof OF_ONE>, "source">;

function byId(rows: readonly AdvisoryRow[]): ReadonlyMap<string, readonly Advisory[]> {
  const grouped = Map.groupBy(rows, (row) => row.lower_id);
  return new Map(
    [...grouped].map(([id, group]) => [id, distinctAdvisories(group.map(advisoryOf))]),
  );
}

function advisoryOf(row: AdvisoryRow): Advisory {
  return {
    severity: SEVERITIES[row.severity] ?? 3,
    url: row.url,
    versions: row.versions,
    ...(row.advisory_id !== null && { advisoryId: row.advisory_id }),
  };
}

const SEVERITIES = [0, 1, 2, 3] as const;
