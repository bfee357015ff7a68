import { DESCRIPTOR_BYTES, ESCAPED_BYTES, parseDigest } from "@sealhouse/oci-distribution";
import type { ManifestCatalog, Referrer } from "@sealhouse/oci-distribution";
import { marks, overList } from "../raw/lists.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf } from "../raw/row.ts";

/** Rows that one statement looks at, so that no statement takes long. */
const ROWS_AT_ONCE = 1_000;
/** Maximum bytes of a batch, unless it has only one referrer. */
const BATCH_BYTES = 128 * 1024;
const BATCH_ROWS = 200;

/** The weight of each row (`referrerWeight`), without reading its annotations. */
const outline = (name: string, matches: string): Statement => ({
  name,
  sql: `select m.id, ${matches} as matches,
      ${DESCRIPTOR_BYTES} + ${ESCAPED_BYTES} * coalesce(octet_length(m.artifact_type), 0)
        + coalesce(octet_length(m.annotations), 0) as weight
    from oci_repositories r join oci_manifests m on m.repository_id = r.id
    where r.name = ? and m.subject = ? and m.id > ? order by m.id limit ?`,
});
const ALL = outline("oci-referrer-weights", "1");
const OF_TYPE = outline(
  "oci-referrer-weights-of-type",
  "case when m.artifact_type = ? then 1 else 0 end",
);

type Batch = { readonly ids: number[]; weight: number };
type Outline = { readonly batches: readonly Batch[]; readonly next?: number };
type Find = ManifestCatalog["referrers"];

/** Selects the rows of the page first, and reads them in batches while the page is sent. */
export function createReferrerPages(port: QueryPort): Find {
  return async (repository, subject, query) => {
    // No text in PostgreSQL has a NUL, and no statement takes one.
    if (query.artifactType?.includes("\0")) return { referrers: nothing() };
    const { batches, next } = await outlineOf(port, [repository, subject], query);
    const matches = ({ artifactType }: Referrer) =>
      query.artifactType === undefined || query.artifactType === artifactType;
    async function* referrers() {
      for (const { ids } of batches) {
        const rows = await port.all(rowsOf(ids.length), [repository, subject, ...ids]);
        yield* rows.map(referrerOf).filter(matches);
      }
    }
    return { referrers: referrers(), ...(next !== undefined && { next }) };
  };
}

async function outlineOf(
  port: QueryPort,
  place: readonly [string, string],
  query: Parameters<Find>[2],
): Promise<Outline> {
  const { after = 0, limit, maxBytes } = query;
  const batches: Batch[] = [];
  let [last, count, bytes] = [after, 0, 0];
  for await (const { id, weight, matches } of weightsOf(port, place, query)) {
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
  port: QueryPort,
  place: readonly [string, string],
  { artifactType, after = 0 }: Parameters<Find>[2],
) {
  let last = after;
  for (;;) {
    const which = [...place, last, ROWS_AT_ONCE];
    const rows = await (artifactType === undefined
      ? port.all(ALL, which)
      : port.all(OF_TYPE, [artifactType, ...which]));
    for (const row of rows) {
      last = numberOf(row, "id");
      const matches = numberOf(row, "matches") === 1;
      yield { id: last, weight: numberOf(row, "weight"), matches };
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

/** The subject again: the number of a deleted row could be another's by now. */
function rowsOf(count: number): Statement {
  const sql = `select m.digest, m.media_type, m.size, m.artifact_type, m.annotations
    from oci_repositories r join oci_manifests m on m.repository_id = r.id
    where r.name = ? and m.subject = ? and m.id in (${marks(count)}) order by m.id`;
  return overList("oci-referrers", count, sql);
}

function referrerOf(row: Row): Referrer {
  const artifactType = optionalTextOf(row, "artifact_type");
  const annotations = optionalTextOf(row, "annotations");
  return {
    digest: parseDigest(textOf(row, "digest")),
    mediaType: textOf(row, "media_type"),
    size: numberOf(row, "size"),
    ...(artifactType !== undefined && { artifactType }),
    ...(annotations !== undefined && { annotations }),
  };
}

async function* nothing(): AsyncGenerator<Referrer, void, undefined> {}
