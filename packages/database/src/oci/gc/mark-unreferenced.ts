import { useLimits } from "@sealhouse/oci-distribution";
import type { RunKey, Surface, Totals, WalkStep } from "@sealhouse/oci-distribution";
import type { Unit } from "../../transactions/unit-of-work.ts";
import type { Fragment, Row } from "../../raw/query-port.ts";
import { numberOf } from "../../raw/row.ts";
import { totalsOf } from "./mark.ts";
import type { Marking } from "./mark.ts";
import { fill, isUnused } from "./kept-by.ts";
import { belongsTo } from "./surface-rows.ts";

/** Scans all links or blobs by key, with a limited number of rows per statement. */
export type UnreferencedMarks = {
  markLinks(run: RunKey, surface: Surface, limit: number): Promise<WalkStep>;
  markBlobs(run: RunKey, limit: number): Promise<WalkStep>;
  /** The run has ended. */
  forget(run: string): void;
};

const WINDOW = 5_000;

export function createUnreferencedMarks(marking: Marking & LinkOrder): UnreferencedMarks {
  const { changes } = marking;
  const walks = new Map<string, Walk>();
  const walkOf = (run: RunKey): Walk => {
    const known = walks.get(run.id);
    if (known) return known;
    const walk: Walk = { link: { repository: 0, blob: 0 }, blob: 0 };
    walks.set(run.id, walk);
    return walk;
  };
  const inOne = <T>(work: (unit: Unit) => Promise<T>) =>
    changes.transaction(async (unit) => {
      if (marking.plainPlans) await unit.read(marking.plainPlans, []);
      return work(unit);
    });
  return {
    async markLinks(run, surface, limit) {
      const walk = walkOf(run);
      const { comparesRows } = marking;
      const step = { run, surface, limit, from: walk.link, now: changes.now(), comparesRows };
      const { totals, end } = await inOne((unit) => markLinksAfter(unit, step));
      if (end) walk.link = end;
      return { ...totals, more: end !== undefined };
    },
    async markBlobs(run, limit) {
      const walk = walkOf(run);
      const step = { run, limit, from: walk.blob, now: changes.now() };
      const { totals, end } = await inOne((unit) => markBlobsAfter(unit, step));
      if (end !== undefined) walk.blob = end;
      return { ...totals, more: end !== undefined };
    },
    forget: (run) => void walks.delete(run),
  };
}

/** Whether an index supports `(a, b) > (?, ?)`; MySQL scans the whole table for it. */
export type LinkOrder = { readonly comparesRows: boolean };

type LinkKey = { readonly repository: number; readonly blob: number };
type Walk = { link: LinkKey; blob: number };
type Step<Key> = { readonly totals: Totals; readonly end: Key | undefined };

type LinkWindow = LinkOrder & {
  readonly run: RunKey;
  readonly surface: Surface;
  readonly limit: number;
  readonly from: LinkKey;
  readonly now: Date;
};

async function markLinksAfter(unit: Unit, step: LinkWindow): Promise<Step<LinkKey>> {
  const { run, surface, limit, now } = step;
  const window = linkWindow(step);
  const [last] = await unit.read(
    { sql: `select repository_id, blob_id from (${window.sql}) l order by 1 desc, 2 desc limit 1` },
    window.parameters,
  );
  if (!last) return { totals: NOTHING, end: undefined };
  const end = { repository: numberOf(last, "repository_id"), blob: numberOf(last, "blob_id") };
  const owned = belongsTo(surface);
  const sql = `from (${window.sql}) l
    join oci_repositories r on r.id = l.repository_id
    join blobs b on b.id = l.blob_id
    where ${owned.sql} and b.state = 'live' and ${UNUSED_LINK.sql}
    and not exists (${WRITTEN_LINK})`;
  const unused = fill(UNUSED_LINK, { ...useLimits(run), now, run: run.id });
  const from = { sql, parameters: [...window.parameters, ...owned.parameters, ...unused, run.id] };
  const totals = await writeDown(unit, { run, row: LINK_ROW, limit }, from);
  return { totals, end: totals.count < limit ? end : await lastLink(unit, run) };
}

/** Where the batch ended that was full before its window did. */
async function lastLink({ read }: Unit, run: RunKey): Promise<LinkKey | undefined> {
  const [row] = await read({ name: "gc-last-link", sql: LAST_LINK }, [run.id]);
  return row && { repository: numberOf(row, "repository_id"), blob: numberOf(row, "blob_id") };
}

const LAST_LINK = `select r.id as repository_id, b.id as blob_id from oci_gc_candidates c
  join oci_repositories r on r.name = c.repository
  join blobs b on b.protocol = 'oci' and b.digest = c.digest
  where c.run_id = ? and c.kind = 'link' order by c.id desc limit 1`;

/** Edges of manifests that are not candidates themselves. */
const NEEDED = `select 1 from oci_manifest_edges e
  join oci_manifests m on m.id = e.manifest_id
  left join oci_gc_candidates c on c.run_id = ? and c.kind = 'manifest'
    and c.repository = r.name and c.digest = m.digest
  where e.repository_id = l.repository_id and e.child = b.digest and c.id is null`;

/** The link `l` of the blob `b` in the repository `r`. */
const UNUSED_LINK = isUnused("link", {
  digest: "b.digest",
  clocks: { link: "l.linked_at", blob: "b.touched_at" },
  namedBy: { edges: { sql: NEEDED, takes: ["run"] } },
});
const WRITTEN_LINK = `select 1 from oci_gc_candidates w where w.run_id = ? and w.kind = 'link'
  and w.repository = r.name and w.digest = b.digest`;
const LINK_ROW = {
  values: `'link', r.name, b.digest, b.size, 'unneeded',
    case when l.linked_at > b.touched_at then l.linked_at else b.touched_at end`,
  order: "l.repository_id, l.blob_id",
};

function linkWindow({ from, comparesRows }: LinkWindow): Fragment {
  const columns = "repository_id, blob_id, linked_at";
  const { repository, blob } = from;
  const after = comparesRows
    ? { sql: "(repository_id, blob_id) > (?, ?)", parameters: [repository, blob] }
    : {
        sql: "(repository_id = ? and blob_id > ? or repository_id > ?)",
        parameters: [repository, blob, repository],
      };
  return {
    sql: `select ${columns} from oci_repository_blobs where ${after.sql}
      order by repository_id, blob_id limit ?`,
    parameters: [...after.parameters, WINDOW],
  };
}

type BlobWindow = {
  readonly run: RunKey;
  readonly limit: number;
  readonly from: number;
  readonly now: Date;
};

async function markBlobsAfter(unit: Unit, step: BlobWindow): Promise<Step<number>> {
  const { run, limit, from, now } = step;
  const window = `select id, protocol, digest, size, state, touched_at from blobs
    where id > ? order by id limit ?`;
  const last = await unit.read({ sql: `select max(id) as id from (${window}) b` }, [from, WINDOW]);
  const end = last[0] && optionalIdOf(last[0]);
  if (end === undefined) return { totals: NOTHING, end };
  const sql = `from (${window}) b
    where b.protocol = 'oci' and b.state = 'live' and ${UNUSED_BLOB.sql}
    and not exists (${WRITTEN_BLOB})`;
  const unused = fill(UNUSED_BLOB, { ...useLimits(run), now, run: run.id });
  const parameters = [from, WINDOW, ...unused, run.id];
  const totals = await writeDown(unit, { run, row: BLOB_ROW, limit }, { sql, parameters });
  return { totals, end: totals.count < limit ? end : await lastBlob(unit, run) };
}

async function lastBlob({ read }: Unit, run: RunKey): Promise<number | undefined> {
  const [row] = await read({ name: "gc-last-blob", sql: LAST_BLOB }, [run.id]);
  return row && numberOf(row, "id");
}

const LAST_BLOB = `select b.id from oci_gc_candidates c
  join blobs b on b.protocol = 'oci' and b.digest = c.digest
  where c.run_id = ? and c.kind = 'blob' order by c.id desc limit 1`;

/** Links that are not candidates themselves. */
const LINKED = `select 1 from oci_repository_blobs l
  join oci_repositories r on r.id = l.repository_id
  left join oci_gc_candidates c on c.run_id = ? and c.kind = 'link'
    and c.repository = r.name and c.digest = b.digest
  where l.blob_id = b.id and c.id is null`;

/** The blob `b`. */
const UNUSED_BLOB = isUnused("blob", {
  digest: "b.digest",
  clocks: { blob: "b.touched_at" },
  namedBy: { links: { sql: LINKED, takes: ["run"] } },
});
const WRITTEN_BLOB = `select 1 from oci_gc_candidates w where w.run_id = ? and w.kind = 'blob'
  and w.repository = '' and w.digest = b.digest`;
const BLOB_ROW = {
  values: "'blob', '', b.digest, b.size, 'unlinked', b.touched_at",
  order: "b.id",
};

type Batch = {
  readonly run: RunKey;
  readonly row: { readonly values: string; readonly order: string };
  readonly limit: number;
};

async function writeDown(unit: Unit, { run, row, limit }: Batch, from: Fragment): Promise<Totals> {
  const before = await unit.read({ sql: LAST }, []);
  const sql = `insert into oci_gc_candidates
      (run_id, kind, repository, digest, size, reason, last_used_at)
    select ?, ${row.values} ${from.sql} order by ${row.order} limit ?`;
  if ((await unit.run({ sql }, [run.id, ...from.parameters, limit])) === 0) return NOTHING;
  const [totals] = await unit.read({ sql: SINCE }, [run.id, before[0] ? idBefore(before[0]) : 0]);
  return totalsOf(totals);
}

/** One runner at a time writes candidates of a run down, so what comes after this is its own. */
const LAST = "select max(id) as id from oci_gc_candidates";
const SINCE = `select cast(count(*) as bigint) as entries,
    cast(coalesce(sum(size), 0) as bigint) as bytes
  from oci_gc_candidates where run_id = ? and id > ?`;
const NOTHING: Totals = { count: 0, bytes: 0 };

function idBefore(row: Row): number {
  return optionalIdOf(row) ?? 0;
}

function optionalIdOf(row: Row): number | undefined {
  return row["id"] === null ? undefined : numberOf(row, "id");
}
