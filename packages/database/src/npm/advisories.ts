import type { Cvss, Severity } from "@sealhouse/advisories";
import type {
  NewNpmAdvisory,
  NpmAdvisories,
  NpmAdvisory,
  NpmAdvisoryRecorder,
} from "@sealhouse/npm-protocol";
import { advisoryFingerprint, planNpmReplacement } from "@sealhouse/npm-protocol";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { batches } from "../raw/batches.ts";
import type { Parameter, QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textListOf, textOf } from "../raw/row.ts";

/** Names per prepared statement. Shorter lists are padded with invalid names. */
const NAMES_AT_ONCE = [1, 20, 200] as const;
/** Rows read in one piece, so that a large source does not hold up other requests. */
const ROWS_READ_AT_ONCE = 1000;
/** Rows per statement that writes; nine parameters each. */
const ROWS_WRITTEN_AT_ONCE = 100;

const COLUMNS = "a.name, a.advisory_id, a.severity, a.title, a.url, a.versions, a.cwe, a.cvss";
const ONE = `select ${COLUMNS} from npm_advisories a where a.name = ?`;
/** Not `in (…)`: PostgreSQL reads the whole table for that as long as it has no statistics. */
const OF = NAMES_AT_ONCE.map((count) => ({
  count,
  statement: {
    name: `npm-advisories-of-${count}`,
    sql: Array.from({ length: count }, () => ONE).join(" union all "),
  },
}));
const ANY: Statement = { name: "npm-advisories-any", sql: "select id from npm_advisories limit 1" };
const OF_SOURCE: Statement = {
  name: "npm-advisories-of-source",
  sql: `select a.id, ${COLUMNS} from npm_advisories a
    where a.id > ? and a.source = ? order by a.id limit ${ROWS_READ_AT_ONCE}`,
};
const COUNT: Statement = {
  name: "npm-advisories-count",
  sql: "select count(*) as count from npm_advisories where source = ?",
};
const REMOVE: Statement = {
  name: "npm-advisories-remove",
  sql: "delete from npm_advisories where source = ?",
};

/**
 * Each change is a separate statement. A transaction over some hundred thousand advisories would
 * block all other writers. An interrupted import leaves extra advisories, never too few, and the
 * next import removes them.
 */
export function createNpmAdvisories(port: QueryPort): NpmAdvisories & NpmAdvisoryRecorder {
  return {
    async of(names) {
      // Most feeds have no source, and every install queries this.
      if (names.length === 0 || !(await port.one(ANY, []))) return new Map();
      const rows: Row[] = [];
      for (const { statement, parameters } of questions(names)) {
        rows.push(...(await port.all(statement, parameters)));
        // SQLite answers at once; others must get their turn in between.
        if (names.length > parameters.length) await yieldToEventLoop();
      }
      const grouped = Map.groupBy(rows, (row) => textOf(row, "name"));
      return new Map([...grouped].map(([name, some]) => [name, some.map(advisoryOf)]));
    },
    replace: (source, advisories) => replace(port, source, advisories),
    async remove(source) {
      await port.run(REMOVE, [source]);
    },
  };
}

async function replace(
  port: QueryPort,
  source: string,
  advisories: AsyncIterable<NewNpmAdvisory> | Iterable<NewNpmAdvisory>,
): ReturnType<NpmAdvisoryRecorder["replace"]> {
  const kept = await keptOf(port, source);
  const { added, wanted } = await planNpmReplacement(source, advisories, (one) => kept.has(one));
  await insertRows(port, source, added);
  await deleteRows(port, surplusOf(kept, wanted));
  const removed = [...kept.keys()].filter((one) => !wanted.has(one)).length;
  const count = await port.one(COUNT, [source]);
  if (count && numberOf(count, "count") !== wanted.size) {
    // Another instance wrote the same at the same time.
    await deleteRows(port, surplusOf(await keptOf(port, source), wanted));
  }
  return { added: added.length, removed, total: wanted.size };
}

/** By fingerprint, the ids of the rows that say it; more than one where two imports met. */
type Kept = ReadonlyMap<string, readonly number[]>;

async function keptOf(port: QueryPort, source: string): Promise<Kept> {
  const kept = new Map<string, number[]>();
  for await (const row of everyRow(port, source)) {
    const fingerprint = advisoryFingerprint({ name: textOf(row, "name"), ...advisoryOf(row) });
    const known = kept.get(fingerprint);
    if (known) known.push(numberOf(row, "id"));
    else kept.set(fingerprint, [numberOf(row, "id")]);
  }
  return kept;
}

/** Keeps the oldest row of each advisory. */
function surplusOf(kept: Kept, wanted: ReadonlySet<string>): readonly number[] {
  return [...kept].flatMap(([fingerprint, ids]) => (wanted.has(fingerprint) ? ids.slice(1) : ids));
}

/** By key, in pieces: other requests come in between. */
async function* everyRow(port: QueryPort, source: string): AsyncGenerator<Row> {
  for (let after = 0; ;) {
    const rows = await port.all(OF_SOURCE, [after, source]);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_READ_AT_ONCE) return;
    after = numberOf(last, "id");
    await yieldToEventLoop();
  }
}

async function insertRows(
  port: QueryPort,
  source: string,
  added: readonly NewNpmAdvisory[],
): Promise<void> {
  for (const some of batches(added, ROWS_WRITTEN_AT_ONCE)) {
    const list = some.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ");
    const sql = `insert into npm_advisories
      (source, advisory_id, name, severity, title, url, versions, cwe, cvss) values ${list}`;
    const parameters = some.flatMap((one): Parameter[] => [
      source,
      one.advisoryId,
      one.name,
      one.severity,
      one.title,
      one.url,
      one.versions,
      JSON.stringify(one.cwe),
      one.cvss && JSON.stringify(one.cvss),
    ]);
    await port.run({ sql }, parameters);
    // SQLite answers at once, so nothing else would get its turn before the last row.
    await yieldToEventLoop();
  }
}

async function deleteRows(port: QueryPort, ids: readonly number[]): Promise<void> {
  for (const some of batches(ids, ROWS_WRITTEN_AT_ONCE)) {
    const list = some.map(() => "?").join(", ");
    await port.run({ sql: `delete from npm_advisories where id in (${list})` }, some);
    await yieldToEventLoop();
  }
}

function* questions(
  names: readonly string[],
): Generator<{ readonly statement: Statement; readonly parameters: readonly Parameter[] }> {
  for (let at = 0; at < names.length;) {
    const rest = names.length - at;
    const fitting = OF.find(({ count }) => count >= rest) ?? OF.at(-1);
    if (!fitting) return;
    const asked = names.slice(at, at + fitting.count);
    const parameters = Array.from({ length: fitting.count }, (_, index) => asked[index] ?? "");
    yield { statement: fitting.statement, parameters };
    at += fitting.count;
  }
}

function advisoryOf(row: Row): NpmAdvisory {
  const advisoryId = optionalTextOf(row, "advisory_id");
  const cvss = cvssOf(optionalTextOf(row, "cvss"));
  return {
    ...(advisoryId !== undefined && { advisoryId }),
    severity: severityOf(numberOf(row, "severity")),
    title: textOf(row, "title"),
    url: textOf(row, "url"),
    versions: textOf(row, "versions"),
    cwe: textListOf(row, "cwe"),
    ...(cvss && { cvss }),
  };
}

function cvssOf(text: string | undefined): Cvss | undefined {
  if (text === undefined) return undefined;
  const { score, vectorString } = JSON.parse(text) as Partial<Cvss>;
  return typeof score === "number" && typeof vectorString === "string"
    ? { score, vectorString }
    : undefined;
}

function severityOf(number: number): Severity {
  return SEVERITIES[number] ?? 3;
}

const SEVERITIES = [0, 1, 2, 3] as const;
