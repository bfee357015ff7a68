import { parseDigest, SATISFIED_BY, useLimits } from "@sealhouse/oci-distribution";
import type { Marked, RepositoryToMark, RunKey, Totals } from "@sealhouse/oci-distribution";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import type { Row, Statement } from "../../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf } from "../../raw/row.ts";
import { findRepository } from "../oci-rows.ts";
import type { Values } from "./kept-by.ts";
import { LACKS_SUBJECT, REACHED, reachedFrom } from "./reached.ts";

/** Queries whether the repository of edge `e` contains its digest. */
const IN_REPOSITORY = {
  manifest: `select 1 from oci_manifests c
    where c.repository_id = e.repository_id and c.digest = e.child`,
  blob: `select 1 from blobs b
    join oci_repository_blobs l on l.blob_id = b.id and l.repository_id = e.repository_id
    where b.protocol = 'oci' and b.digest = e.child and b.state = 'live'`,
} as const;

/** Whether nothing in the repository satisfies edge `e` (rule R9). */
const IS_HOLE = Object.entries(SATISFIED_BY)
  .filter(([, types]) => types.length > 0)
  .map(([kind, types]) => {
    const lacks = types.map((type) => `not exists (${IN_REPOSITORY[type]})`);
    return `(e.kind = '${kind}' and ${lacks.join(" and ")})`;
  })
  .join(" or ");

/** Reached manifests that need something missing, or whose own bytes are incomplete. */
const BROKEN = `${REACHED}
  select m.digest as manifest, e.child as missing from reached q
    join oci_manifests m on m.id = q.id and m.repository_id = ?
    join oci_manifest_edges e on e.manifest_id = q.id
    where ${IS_HOLE}
  union all
  select m.digest, null from reached q
    join oci_manifests m on m.id = q.id and m.repository_id = ?
    where length(m.bytes) <> m.size
  order by 1, 2 limit 1`;

const WRITE_DOWN = `insert into oci_gc_candidates
    (run_id, kind, repository, digest, size, reason, last_used_at)
  ${REACHED}
  select ?, 'manifest', r.name, m.digest, m.size,
    case when ${LACKS_SUBJECT} then 'subject-gone' else 'untagged' end, m.touched_at
  from oci_repositories r
  join oci_manifests m on m.repository_id = r.id
  left join reached q on q.id = m.id
  where r.id = ? and q.id is null
  order by m.id desc`;

const FORGET = `delete from oci_gc_candidates
  where run_id = ? and kind = 'manifest' and repository = ?`;
const TOTALS = `select cast(count(*) as bigint) as entries,
    cast(coalesce(sum(size), 0) as bigint) as bytes
  from oci_gc_candidates where run_id = ? and kind = 'manifest' and repository = ?`;

/**
 * Marks newest manifests first. Clients push children before parents, so few removals are blocked.
 */
export async function mark(
  { changes, plainPlans }: Marking,
  run: RunKey,
  { repository: name, untaggedSince }: RepositoryToMark,
): Promise<Marked> {
  return changes.transaction(async (unit) => {
    const repository = await findRepository(unit, name);
    if (repository === undefined) return { status: "marked", count: 0, bytes: 0 };
    if (plainPlans) await unit.read(plainPlans, []);
    const values = { ...useLimits(run, untaggedSince), now: changes.now() };
    const broken = await findBroken(unit, repository, values);
    if (broken) return broken;
    await unit.run({ sql: FORGET }, [run.id, name]);
    const unreached = [...reachedFrom(repository, values), run.id, repository];
    const written = await unit.run({ sql: WRITE_DOWN }, unreached);
    if (written === 0) return marked(undefined);
    const [totals] = await unit.read({ sql: TOTALS }, [run.id, name]);
    return marked(totals);
  });
}

/** Differences between databases. */
export type Marking = {
  readonly changes: Changes;
  /** Runs first in each transaction: switches off compilation and parallel workers, which take
   * longer to start than most of these queries run. */
  readonly plainPlans?: Statement | undefined;
};

async function findBroken(
  unit: Unit,
  repository: number,
  values: Values,
): Promise<Marked | undefined> {
  const parameters = [...reachedFrom(repository, values), repository, repository];
  const [row] = await unit.read({ sql: BROKEN }, parameters);
  if (!row) return undefined;
  const missing = optionalTextOf(row, "missing");
  return {
    status: "broken",
    manifest: parseDigest(textOf(row, "manifest")),
    ...(missing !== undefined && { missing: parseDigest(missing) }),
  };
}

function marked(row: Row | undefined): Marked {
  return { status: "marked", ...totalsOf(row) };
}

export function totalsOf(row: Row | undefined): Totals {
  return row
    ? { count: numberOf(row, "entries"), bytes: numberOf(row, "bytes") }
    : { count: 0, bytes: 0 };
}
