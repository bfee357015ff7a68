import { sql } from "#kysely";
import type { Expression } from "#kysely";
import { DESCRIPTOR_BYTES, ESCAPED_BYTES, parseDigest } from "@sealhouse/oci-distribution";
import type { ManifestCatalog, Referrer } from "@sealhouse/oci-distribution";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { Parameters as Given } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { ociParam } from "./oci-param.ts";

/** Rows that one statement looks at, so that no statement takes long. */
const ROWS_AT_ONCE = 1_000;
/** Maximum bytes of a batch, unless it has only one referrer. */
const BATCH_BYTES = 128 * 1024;
const BATCH_ROWS = 200;

const SUBJECT = { repository: ociParam.repositoryName, subject: ociParam.digest };
const AFTER = { ...SUBJECT, after: param.whole };

const referrersOf = (
  db: Dialect["db"],
  { repository, subject }: Pick<Given<typeof SUBJECT>, "repository" | "subject">,
) =>
  db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_manifests as m", "m.repository_id", "r.id")
    .where("r.name", "=", repository)
    .where("m.subject", "=", subject)
    .where("m.deleted_at", "is", null);

/** The weight of each row (`referrerWeight`), without reading its annotations. */
function outline(own: Dialect, parameters: Given<typeof AFTER>, matches: Expression<number>) {
  const bytes = (column: string) =>
    sql<number>`coalesce(${own.textByteLength(sql.ref(column))}, 0)`;
  const fixed = sql.lit(DESCRIPTOR_BYTES);
  const type = sql`${sql.lit(ESCAPED_BYTES)} * ${bytes("m.artifact_type")}`;
  return own.limit(
    referrersOf(own.db, parameters)
      .where("m.id", ">", parameters.after)
      .select([
        "m.id",
        sql<number>`${matches}`.as("matches"),
        sql<number>`${fixed} + ${type} + ${bytes("m.annotations")}`.as("weight"),
      ])
      .orderBy("m.id"),
    sql.lit(ROWS_AT_ONCE),
  );
}

const ALL = defineStatement("oci-referrer-weights", AFTER, (_db, parameters, own) =>
  outline(own, parameters, sql.lit(1)),
);
const OF_TYPE = defineStatement(
  "oci-referrer-weights-of-type",
  { ...AFTER, artifactType: param.longText },
  (_db, parameters, own) => {
    const isOfType = sql<boolean>`m.artifact_type = ${parameters.artifactType}`;
    return outline(own, parameters, sql`case when ${isOfType} then 1 else 0 end`);
  },
);
/** The subject again: the number of a deleted row could be another's by now. */
const ROWS = defineStatement(
  "oci-referrers",
  { ...SUBJECT, ids: param.wholes },
  (db, parameters, own) =>
    referrersOf(db, parameters)
      .where("m.id", "in", own.wholesIn(parameters.ids))
      .select(["m.digest", "m.media_type", "m.size", "m.artifact_type", "m.annotations"])
      .orderBy("m.id"),
);

type Batch = { readonly ids: number[]; weight: number };
type Outline = { readonly batches: readonly Batch[]; readonly next?: number };
type Find = ManifestCatalog["referrers"];

/** Selects the rows of the page first, and reads them in batches while the page is sent. */
export function createReferrerPages(queries: Queries): Find {
  return async (repository, subject, query) => {
    // No text in PostgreSQL has a NUL, and no statement takes one.
    if (query.artifactType?.includes("\0")) return { referrers: nothing() };
    const { batches, next } = await outlineOf(queries, { repository, subject }, query);
    const matches = ({ artifactType }: Referrer) =>
      query.artifactType === undefined || query.artifactType === artifactType;
    async function* referrers() {
      for (const { ids } of batches) {
        const rows = await queries.all(ROWS, { repository, subject, ids });
        yield* rows.map(referrerOf).filter(matches);
      }
    }
    return { referrers: referrers(), ...(next !== undefined && { next }) };
  };
}

async function outlineOf(
  queries: Queries,
  place: Values<typeof SUBJECT>,
  query: Parameters<Find>[2],
): Promise<Outline> {
  const { after = 0, limit, maxBytes } = query;
  const batches: Batch[] = [];
  let [last, count, bytes] = [after, 0, 0];
  for await (const { id, weight, matches } of weightsOf(queries, place, query)) {
    if (matches) {
      const isFull = count >= limit || bytes + weight > maxBytes;
      if (count > 0 && isFull) return { batches, next: last };
      addTo(batches, id, weight);
      count += 1;
      bytes += weight;
    }
    last = id;
  }
  return { batches };
}

async function* weightsOf(
  queries: Queries,
  place: Values<typeof SUBJECT>,
  { artifactType, after = 0 }: Parameters<Find>[2],
) {
  let last = after;
  for (;;) {
    const which = { ...place, after: last };
    const rows = await (artifactType === undefined
      ? queries.all(ALL, which)
      : queries.all(OF_TYPE, { ...which, artifactType }));
    for (const row of rows) {
      last = row.id;
      yield { id: row.id, weight: row.weight, matches: row.matches === 1 };
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function addTo(batches: Batch[], id: number, weight: number): void {
  const open = batches.at(-1);
  if (open && open.ids.length < BATCH_ROWS && open.weight + weight <= BATCH_BYTES) {
    open.ids.push(id);
    open.weight += weight;
  } else {
    batches.push({ ids: [id], weight });
  }
}

function referrerOf(row: RowOf<typeof ROWS>): Referrer {
  return {
    digest: parseDigest(row.digest),
    mediaType: row.media_type,
    size: row.size,
    ...(row.artifact_type !== null && { artifactType: row.artifact_type }),
    ...(row.annotations !== null && { annotations: row.annotations }),
  };
}

async function* nothing(): AsyncGenerator<Referrer, void, undefined> {}
