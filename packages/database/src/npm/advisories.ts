import { sql } from "#kysely";
import type { Cvss, Severity } from "@sealhouse/advisories";
import type {
  NewNpmAdvisory,
  NpmAdvisories,
  NpmAdvisory,
  NpmAdvisoryRecorder,
} from "@sealhouse/npm-protocol";
import { advisoryFingerprint, planNpmReplacement } from "@sealhouse/npm-protocol";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { PortContext } from "../port-context.ts";
import { batches } from "../raw/batches.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { textList } from "../statements/text-list.ts";

/** Names in one statement. */
const NAMES_AT_ONCE = 200;
/** Rows read in one piece, so that a large source does not hold up other requests. */
const ROWS_READ_AT_ONCE = 1000;
/** Rows per statement that writes. */
const ROWS_WRITTEN_AT_ONCE = 100;

const SOURCE = { source: param.text(64) };
const CONTENT = [
  "name",
  "advisory_id",
  "severity",
  "title",
  "url",
  "versions",
  "cwe",
  "cvss",
] as const;
const ADVISORY = {
  name: "text",
  advisory_id: "text",
  severity: "whole",
  title: "text",
  url: "text",
  versions: "text",
  cwe: "text",
  cvss: "text",
} as const;

const OF = defineStatement("npm-advisories-of", { names: param.texts }, (db, { names }, own) =>
  db
    .selectFrom("npm_advisories")
    .where("name", "in", own.textsIn(names))
    .select([...CONTENT, "source"]),
);
const ANY = defineStatement("npm-advisories-any", {}, (db) =>
  db.selectFrom("npm_advisories").select("id").limit(sql.lit(1)),
);
const OF_SOURCE = defineStatement(
  "npm-advisories-of-source",
  { ...SOURCE, after: param.whole, limit: param.whole },
  (db, { source, after, limit }, own) =>
    own.limit(
      db
        .selectFrom("npm_advisories")
        .where("id", ">", after)
        .where("source", "=", source)
        .select(["id", ...CONTENT])
        .orderBy("id"),
      limit,
    ),
);
const COUNT = defineStatement("npm-advisories-count", SOURCE, (db, { source }) =>
  db
    .selectFrom("npm_advisories")
    .where("source", "=", source)
    .select(({ fn }) => fn.countAll<number>().as("total")),
);
const REMOVE = defineStatement("npm-advisories-remove", SOURCE, (db, { source }) =>
  db.deleteFrom("npm_advisories").where("source", "=", source),
);
const INSERT = defineStatement(
  "npm-advisories-insert",
  { ...SOURCE, advisories: param.records },
  (db, { source, advisories }, own) =>
    db
      .insertInto("npm_advisories")
      .columns(["source", ...CONTENT])
      .expression(
        db
          .selectFrom(own.records(advisories, ADVISORY).as("a"))
          .select([sql<string>`${source}`.as("source"), ...CONTENT]),
      ),
);
const DROP = defineStatement("npm-advisories-drop", { ids: param.wholes }, (db, { ids }, own) =>
  own.byList(db.deleteFrom("npm_advisories").where("id", "in", own.wholesIn(ids))),
);

/**
 * Each change is a separate statement. A transaction over some hundred thousand advisories would
 * block all other writers. An interrupted import leaves extra advisories, never too few, and the
 * next import removes them.
 */
export function createNpmAdvisories({
  queries,
}: Pick<PortContext, "queries">): NpmAdvisories & NpmAdvisoryRecorder {
  return {
    async of(names, sources) {
      // Most feeds have no source, and every install queries this.
      if (names.length === 0 || !(await queries.one(ANY, {}))) return new Map();
      const rows: RowOf<typeof OF>[] = [];
      for (const some of batches(names, NAMES_AT_ONCE)) {
        rows.push(...(await queries.all(OF, { names: some })));
        // SQLite answers at once; others must get their turn in between.
        if (names.length > some.length) await yieldToEventLoop();
      }
      const wanted = sources ? rows.filter((row) => sources.includes(row.source)) : rows;
      const grouped = Map.groupBy(wanted, (row) => row.name);
      return new Map([...grouped].map(([name, some]) => [name, some.map(advisoryOf)]));
    },
    replace: (source, advisories) => replace(queries, source, advisories),
    async remove(source) {
      await queries.run(REMOVE, { source });
    },
  };
}

async function replace(
  queries: Queries,
  source: string,
  advisories: AsyncIterable<NewNpmAdvisory> | Iterable<NewNpmAdvisory>,
): ReturnType<NpmAdvisoryRecorder["replace"]> {
  const keptRows = await keptOf(queries, source);
  const { added, fingerprints } = await planNpmReplacement(source, advisories, (fingerprint) =>
    keptRows.has(fingerprint),
  );
  await insertRows(queries, source, added);
  await deleteRows(queries, outdatedOf(keptRows, fingerprints));
  const removed = [...keptRows.keys()].filter(
    (fingerprint) => !fingerprints.has(fingerprint),
  ).length;
  const count = await queries.one(COUNT, { source });
  if (count && count.total !== fingerprints.size) {
    // Another instance wrote the same at the same time.
    await deleteRows(queries, outdatedOf(await keptOf(queries, source), fingerprints));
  }
  return { added: added.length, removed, total: fingerprints.size };
}

/** By fingerprint, the ids of the rows that say it; more than one where two imports met. */
type RowIds = ReadonlyMap<string, readonly number[]>;

async function keptOf(queries: Queries, source: string): Promise<RowIds> {
  const keptRows = new Map<string, number[]>();
  for await (const row of everyRow(queries, source)) {
    const fingerprint = advisoryFingerprint({ name: row.name, ...advisoryOf(row) });
    const ids = keptRows.get(fingerprint);
    if (ids) ids.push(row.id);
    else keptRows.set(fingerprint, [row.id]);
  }
  return keptRows;
}

/** Keeps the oldest row of each advisory. */
function outdatedOf(kept: RowIds, fingerprints: ReadonlySet<string>): readonly number[] {
  return [...kept].flatMap(([fingerprint, ids]) =>
    fingerprints.has(fingerprint) ? ids.slice(1) : ids,
  );
}

/** By key, in pieces: other requests come in between. */
async function* everyRow(
  queries: Queries,
  source: string,
): AsyncGenerator<RowOf<typeof OF_SOURCE>> {
  for (let after = 0; ;) {
    const rows = await queries.all(OF_SOURCE, { source, after, limit: ROWS_READ_AT_ONCE });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_READ_AT_ONCE) return;
    after = last.id;
    await yieldToEventLoop();
  }
}

async function insertRows(
  queries: Queries,
  source: string,
  added: readonly NewNpmAdvisory[],
): Promise<void> {
  for (const some of batches(added, ROWS_WRITTEN_AT_ONCE)) {
    await queries.run(INSERT, { source, advisories: some.map(recordOf) });
    // SQLite answers at once, so nothing else would get its turn before the last row.
    await yieldToEventLoop();
  }
}

function recordOf({ advisoryId, cwe, cvss, ...same }: NewNpmAdvisory) {
  return {
    ...same,
    advisory_id: advisoryId,
    cwe: JSON.stringify(cwe),
    cvss: cvss && JSON.stringify(cvss),
  };
}

async function deleteRows(queries: Queries, ids: readonly number[]): Promise<void> {
  for (const some of batches(ids, ROWS_WRITTEN_AT_ONCE)) {
    await queries.run(DROP, { ids: some });
    await yieldToEventLoop();
  }
}

function advisoryOf(row: Omit<RowOf<typeof OF>, "source">): NpmAdvisory {
  const cvss = cvssOf(row.cvss);
  return {
    ...(row.advisory_id !== null && { advisoryId: row.advisory_id }),
    severity: SEVERITIES[row.severity] ?? 3,
    title: row.title,
    url: row.url,
    versions: row.versions,
    cwe: textList(row.cwe),
    ...(cvss && { cvss }),
  };
}

function cvssOf(text: string | null): Cvss | undefined {
  if (text === null) return undefined;
  const { score, vectorString } = JSON.parse(text) as Partial<Cvss>;
  return typeof score === "number" && typeof vectorString === "string"
    ? { score, vectorString }
    : undefined;
}

const SEVERITIES: readonly Severity[] = [0, 1, 2, 3];
