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
import type { Changes } from "../transactions/changes.ts";
import type { Parameter, QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import { createAdvisoryChanges } from "./advisory-changes.ts";
import type { AdvisoryChanges } from "./advisory-changes.ts";

/** Ids per prepared statement. Shorter lists are padded with invalid ids. */
const IDS_AT_ONCE = [1, 20] as const;
/** Rows read in one piece, so that a large source does not hold up other requests. */
const ROWS_AT_ONCE = 1000;
/** Another instance would have to replace the same source in each attempt. */
const ATTEMPTS_MAX = 5;

const COLUMNS = "a.lower_id, a.severity, a.url, a.versions, a.advisory_id";
const ONE = `select ${COLUMNS} from nuget_advisories a where a.lower_id = ?`;
/**
 * Not `in (…)`: without table statistics, PostgreSQL then scans the whole table. That takes 45 ms
 * after an import instead of less than 1 ms.
 */
const OF = IDS_AT_ONCE.map((count) => ({
  count,
  statement: {
    name: `nuget-advisories-of-${count}`,
    sql: Array.from({ length: count }, () => ONE).join(" union all "),
  },
}));
const STATE: Statement = {
  name: "nuget-advisories-state",
  sql: `select max(base_at) as base_at, max(updated_at) as updated_at
    from nuget_advisory_sources s
    where exists (select 1 from nuget_advisories a where a.source = s.name)`,
};
const PAGE: Statement = {
  name: "nuget-advisories-page",
  sql: `select a.id, ${COLUMNS} from nuget_advisories a
    where a.id > ? and a.page = ? order by a.id limit ${ROWS_AT_ONCE}`,
};
const OF_SOURCE: Statement = {
  name: "nuget-advisories-of-source",
  sql: `select a.id, ${COLUMNS} from nuget_advisories a
    where a.id > ? and a.source = ? order by a.id limit ${ROWS_AT_ONCE}`,
};
const ON_UPDATE_PAGE: Statement = {
  name: "nuget-advisories-updates",
  sql: "select count(*) as count from nuget_advisories where page = 'update'",
};
const SOURCES: Statement = {
  name: "nuget-advisory-sources",
  sql: "select name, updated_at, checked_at, state from nuget_advisory_sources",
};

export function createAdvisories(
  port: QueryPort,
  changes: Changes,
): AdvisoryLookup & AdvisoryRecorder {
  const written = createAdvisoryChanges(changes);
  return {
    async of(ids) {
      const rows: Row[] = [];
      for (const { statement, parameters } of questions(ids)) {
        rows.push(...(await port.all(statement, parameters)));
      }
      return byId(rows);
    },
    state: () => stateOf(port),
    async page(page) {
      return byId(await Array.fromAsync(everyRow(port, PAGE, page)));
    },
    replace: (source, advisories, state) =>
      replace({ port, changes: written }, { source, state }, advisories),
    checked: (source) => written.checked(source),
    remove: (source) => written.remove(source),
    sources: () => sourcesOf(port),
  };
}

async function replace(
  { port, changes }: { readonly port: QueryPort; readonly changes: AdvisoryChanges },
  { source, state }: { readonly source: string; readonly state: string | undefined },
  advisories: AsyncIterable<NewAdvisory> | Iterable<NewAdvisory>,
): ReturnType<AdvisoryRecorder["replace"]> {
  const wanted = await collectAdvisories(source, advisories);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const known = (await sourcesOf(port)).find(({ name }) => name === source);
    const kept = new Map<string, { readonly id: string; readonly row: number }>();
    for await (const row of everyRow(port, OF_SOURCE, source)) {
      const advisory = { id: textOf(row, "lower_id"), ...advisoryOf(row) };
      kept.set(advisoryKey(advisory), { id: advisory.id, row: numberOf(row, "id") });
    }
    const updates = await port.one(ON_UPDATE_PAGE, []);
    const plan = planReplacement(kept, wanted, updates ? numberOf(updates, "count") : 0);
    const outcome = await changes.apply({ source, state, plan, seenAt: known?.updatedAt });
    if (outcome === "outdated") continue;
    return { added: plan.added.length, removed: plan.removed.length, total: wanted.size };
  }
  throw new Error(`the advisories of ${source} change all the time`);
}

function* questions(
  ids: readonly string[],
): Generator<{ readonly statement: Statement; readonly parameters: readonly Parameter[] }> {
  for (let at = 0; at < ids.length;) {
    const rest = ids.length - at;
    const fitting = OF.find(({ count }) => count >= rest) ?? OF.at(-1);
    if (!fitting) return;
    const asked = ids.slice(at, at + fitting.count);
    const parameters = Array.from({ length: fitting.count }, (_, index) => asked[index] ?? "");
    yield { statement: fitting.statement, parameters };
    at += fitting.count;
  }
}

/** By key, in pieces: other requests come in between. */
async function* everyRow(port: QueryPort, statement: Statement, of: string): AsyncGenerator<Row> {
  for (let after = 0; ;) {
    const rows = await port.all(statement, [after, of]);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = numberOf(last, "id");
    await yieldToEventLoop();
  }
}

async function stateOf(port: QueryPort): Promise<AdvisoryState | undefined> {
  const row = await port.one(STATE, []);
  const baseAt = row && optionalTimeOf(row, "base_at");
  const updatedAt = row && optionalTimeOf(row, "updated_at");
  if (!baseAt || !updatedAt) return undefined;
  return { baseAt, updatedAt: updatedAt > baseAt ? updatedAt : baseAt };
}

async function sourcesOf(port: QueryPort): Promise<readonly AdvisorySource[]> {
  const rows = await port.all(SOURCES, []);
  return rows.map(sourceOf).toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function sourceOf(row: Row): AdvisorySource {
  const state = optionalTextOf(row, "state");
  return {
    name: textOf(row, "name"),
    updatedAt: timeOf(row, "updated_at"),
    checkedAt: timeOf(row, "checked_at"),
    ...(state !== undefined && { state }),
  };
}

function byId(rows: readonly Row[]): ReadonlyMap<string, readonly Advisory[]> {
  const grouped = Map.groupBy(rows, (row) => textOf(row, "lower_id"));
  return new Map(
    [...grouped].map(([id, known]) => [id, distinctAdvisories(known.map(advisoryOf))]),
  );
}

function advisoryOf(row: Row): Advisory {
  const advisoryId = optionalTextOf(row, "advisory_id");
  return {
    severity: severityOf(numberOf(row, "severity")),
    url: textOf(row, "url"),
    versions: textOf(row, "versions"),
    ...(advisoryId !== undefined && { advisoryId }),
  };
}

function severityOf(number: number): Advisory["severity"] {
  return SEVERITIES[number] ?? 3;
}

const SEVERITIES = [0, 1, 2, 3] as const;
