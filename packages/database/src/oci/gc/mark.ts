import { parseDigest } from "@sealhouse/oci-distribution";
import type { Marked, RepositoryToMark, RunKey, Tally } from "@sealhouse/oci-distribution";
import type { Changes } from "../../orm/changes.ts";
import type { PlainUnit } from "../../orm/unit-of-work.ts";
import type { Row, Statement } from "../../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf } from "../../raw/row.ts";
import { findRepository } from "../oci-rows.ts";
import { checkFence } from "./fence.ts";
import { REACHED, reachedFrom } from "./reached.ts";
import type { Roots } from "./reached.ts";

/** Rule R9: what is reached and needs what is neither a live blob of the repository nor, for an
 * index, one of its manifests; and manifests whose bytes are not all there. */
const BROKEN = `${REACHED}
  select m.digest as manifest, e.child as missing from reached q
    join oci_manifests m on m.id = q.id and m.repository_id = ?
    join oci_manifest_edges e on e.manifest_id = q.id
    where e.kind <> 'foreign'
    and not exists (select 1 from blobs b
      join oci_repository_blobs l on l.blob_id = b.id and l.repository_id = e.repository_id
      where b.protocol = 'oci' and b.digest = e.child and b.state = 'live')
    and (e.kind <> 'child' or not exists (select 1 from oci_manifests c
      where c.repository_id = e.repository_id and c.digest = e.child))
  union all
  select m.digest, null from reached q
    join oci_manifests m on m.id = q.id and m.repository_id = ?
    where length(m.bytes) <> m.size
  order by 1, 2 limit 1`;

const WRITE_DOWN = `insert into oci_gc_candidates
    (run_id, kind, repository, digest, size, reason, last_used_at)
  ${REACHED}
  select ?, 'manifest', r.name, m.digest, m.size,
    case when ${subjectIsGone()} then 'subject-gone' else 'untagged' end, m.touched_at
  from oci_repositories r
  join oci_manifests m on m.repository_id = r.id
  left join reached q on q.id = m.id
  where r.id = ? and q.id is null
  order by m.id desc`;

const FORGET = `delete from oci_gc_candidates
  where run_id = ? and kind = 'manifest' and repository = ?`;
const TALLY = `select cast(count(*) as bigint) as entries,
    cast(coalesce(sum(size), 0) as bigint) as bytes
  from oci_gc_candidates where run_id = ? and kind = 'manifest' and repository = ?`;

/** Parents come before their children in most cases, since they were pushed later: fewer have to
 * be asked for again. */
export async function mark(
  { changes, plainPlans }: Marking,
  run: RunKey,
  { repository: name, untaggedSince }: RepositoryToMark,
): Promise<Marked> {
  const earliest = untaggedSince < run.unusedSince ? untaggedSince : run.unusedSince;
  return changes.plain(async (unit) => {
    await checkFence(unit, run);
    const repository = await findRepository(unit, name);
    if (repository === undefined) return { status: "marked", count: 0, bytes: 0 };
    if (plainPlans) await unit.read(plainPlans, []);
    const roots = { repository, untaggedSince: earliest, now: changes.now() };
    const broken = await findBroken(unit, roots);
    if (broken) return broken;
    await unit.run({ sql: FORGET }, [run.id, name]);
    const written = [...reachedFrom(roots), run.id, repository];
    if ((await unit.run({ sql: WRITE_DOWN }, written)) === 0) return marked(undefined);
    const [tally] = await unit.read({ sql: TALLY }, [run.id, name]);
    return marked(tally);
  });
}

/** A database's own ways. */
export type Marking = {
  readonly changes: Changes;
  /** For this transaction: no compiling and no helpers of the database, which take longer to get
   * going than the questions about most repositories. */
  readonly plainPlans?: Statement | undefined;
};

async function findBroken(unit: PlainUnit, roots: Roots): Promise<Marked | undefined> {
  const { repository } = roots;
  const parameters = [...reachedFrom(roots), repository, repository];
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
  return { status: "marked", ...tallyOf(row) };
}

export function tallyOf(row: Row | undefined): Tally {
  return row
    ? { count: numberOf(row, "entries"), bytes: numberOf(row, "bytes") }
    : { count: 0, bytes: 0 };
}

/** Of the manifest `m`: itself, or a tag that points to it, is about what is not there. */
function subjectIsGone(): string {
  const absent = (digest: string) => `not exists (select 1 from oci_manifests s
    where s.repository_id = m.repository_id and s.digest = ${digest})`;
  return `(m.subject is not null and ${absent("m.subject")})
    or exists (select 1 from oci_tags t where t.manifest_id = m.id
      and t.subject is not null and ${absent("t.subject")})`;
}
