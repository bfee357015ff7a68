import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import { useLimits } from "@sealhouse/oci-distribution";
import type { RunKey, Surface, Totals, WalkStep } from "@sealhouse/oci-distribution";
import type { Dialect } from "../../statements/dialects/dialect.ts";
import { param } from "../../statements/kinds.ts";
import type { Values } from "../../statements/kinds.ts";
import type { Parameters } from "../../statements/parameter.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { Tables } from "../../statements/tables.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { LIMITS, isUnused } from "./kept-by.ts";
import { CANDIDATE, NOTHING, marking, totals } from "./mark.ts";
import type { Marking } from "./mark.ts";
import { SURFACE, belongsTo, surfaceValues } from "./surface-rows.ts";

/** Scans all links or blobs by key, with a limited number of rows per statement. */
export type UnreferencedMarks = {
  markLinks(run: RunKey, surface: Surface, limit: number): Promise<WalkStep>;
  markBlobs(run: RunKey, limit: number): Promise<WalkStep>;
  /** The run has ended. */
  forget(run: string): void;
};

/** Rows in one statement. */
const WINDOW = sql.lit(5_000);

const RUN = { run: param.text(36) };
const BATCH = { ...RUN, ...LIMITS, limit: param.whole };
const LINK_KEY = { repository: param.whole, blob: param.whole };
const BLOB_KEY = { blob: param.whole };

const linkWindow = (own: Dialect, { repository, blob }: Parameters<typeof LINK_KEY>) =>
  own.limit(
    own.db
      .selectFrom("oci_repository_blobs")
      .where(own.isAfter([sql.ref("repository_id"), sql.ref("blob_id")], [repository, blob]))
      .select(["repository_id", "blob_id", "linked_at"])
      .orderBy("repository_id")
      .orderBy("blob_id"),
    WINDOW,
  );
const blobWindow = (own: Dialect, { blob }: Parameters<typeof BLOB_KEY>) =>
  own.limit(
    own.db
      .selectFrom("blobs")
      .where("id", ">", blob)
      .select(["id", "protocol", "digest", "size", "state", "touched_at"])
      .orderBy("id"),
    WINDOW,
  );

const LINKS_END = defineStatement("gc-links-end", LINK_KEY, (db, parameters, own) =>
  own.limit(
    db
      .selectFrom(linkWindow(own, parameters).as("l"))
      .select(["l.repository_id as repository", "l.blob_id as blob"])
      .orderBy("l.repository_id", "desc")
      .orderBy("l.blob_id", "desc"),
    sql.lit(1),
  ),
);
const BLOBS_END = defineStatement("gc-blobs-end", BLOB_KEY, (db, parameters, own) =>
  db
    .selectFrom(blobWindow(own, parameters).as("b"))
    .select(({ fn }) => fn.max<number | null>("b.id").as("blob")),
);

/** Edges to the blob `b` in the repository of the link `l`, of manifests that are not candidates
 * themselves. */
function neededBy(db: Kysely<Tables>, run: Expression<string>) {
  return db
    .selectFrom("oci_manifest_edges as e")
    .innerJoin("oci_manifests as m", "m.id", "e.manifest_id")
    .leftJoin("oci_gc_candidates as c", (join) =>
      join
        .on("c.run_id", "=", run)
        .on("c.kind", "=", sql.lit("manifest"))
        .on("c.repository", "=", sql.ref<string>("r.name"))
        .onRef("c.digest", "=", "m.digest"),
    )
    .where("e.repository_id", "=", sql.ref<number>("l.repository_id"))
    .where("e.child", "=", sql.ref<string>("b.digest"))
    .where("c.id", "is", null)
    .select("e.manifest_id");
}

/** Links of the blob `b` that are not candidates themselves. */
function linkedBy(db: Kysely<Tables>, run: Expression<string>) {
  return db
    .selectFrom("oci_repository_blobs as l")
    .innerJoin("oci_repositories as r", "r.id", "l.repository_id")
    .leftJoin("oci_gc_candidates as c", (join) =>
      join
        .on("c.run_id", "=", run)
        .on("c.kind", "=", sql.lit("link"))
        .onRef("c.repository", "=", "r.name")
        .on("c.digest", "=", sql.ref<string>("b.digest")),
    )
    .where("l.blob_id", "=", sql.ref<number>("b.id"))
    .where("c.id", "is", null)
    .select("l.blob_id");
}

/** The candidate for the blob `b` that an earlier batch has written. */
function writtenOf(
  db: Kysely<Tables>,
  run: Expression<string>,
  { kind, repository }: { readonly kind: "link" | "blob"; readonly repository: Expression<string> },
) {
  return db
    .selectFrom("oci_gc_candidates as w")
    .where("w.run_id", "=", run)
    .where("w.kind", "=", sql.lit(kind))
    .where("w.repository", "=", repository)
    .where("w.digest", "=", sql.ref<string>("b.digest"))
    .select("w.id");
}

const WRITE_LINKS = defineStatement(
  "gc-mark-links",
  { ...BATCH, ...LINK_KEY, ...SURFACE },
  (db, parameters, own) => {
    const { run, limit, ...limits } = parameters;
    const namedBy = { edges: neededBy(db, run) };
    const clocks = { link: sql.ref<Date>("l.linked_at"), blob: sql.ref<Date>("b.touched_at") };
    const columns = { digest: sql.ref<string>("b.digest"), clocks, namedBy };
    const written = writtenOf(db, run, { kind: "link", repository: sql.ref("r.name") });
    const unused = db
      .selectFrom(linkWindow(own, parameters).as("l"))
      .innerJoin("oci_repositories as r", "r.id", "l.repository_id")
      .innerJoin("blobs as b", "b.id", "l.blob_id")
      .where(belongsTo(own, parameters))
      .where("b.state", "=", sql.lit("live"))
      .where(isUnused({ kind: "link", columns, limits }))
      .where((candidate) => candidate.not(candidate.exists(written)))
      .select((link) => [
        sql<string>`${run}`.as("run_id"),
        sql.lit("link").as("kind"),
        "r.name as repository",
        "b.digest",
        "b.size",
        sql.lit("unneeded").as("reason"),
        link
          .case()
          .when("l.linked_at", ">", link.ref("b.touched_at"))
          .then(link.ref("l.linked_at"))
          .else(link.ref("b.touched_at"))
          .end()
          .as("last_used_at"),
      ])
      .orderBy("l.repository_id")
      .orderBy("l.blob_id");
    return db
      .insertInto("oci_gc_candidates")
      .columns(CANDIDATE)
      .expression(own.limit(unused, limit));
  },
);
const WRITE_BLOBS = defineStatement(
  "gc-mark-blobs",
  { ...BATCH, ...BLOB_KEY },
  (db, parameters, own) => {
    const { run, limit, ...limits } = parameters;
    const namedBy = { links: linkedBy(db, run) };
    const clocks = { blob: sql.ref<Date>("b.touched_at") };
    const columns = { digest: sql.ref<string>("b.digest"), clocks, namedBy };
    const written = writtenOf(db, run, { kind: "blob", repository: sql.lit("") });
    const unused = db
      .selectFrom(blobWindow(own, parameters).as("b"))
      .where("b.protocol", "=", sql.lit("oci"))
      .where("b.state", "=", sql.lit("live"))
      .where(isUnused({ kind: "blob", columns, limits }))
      .where((candidate) => candidate.not(candidate.exists(written)))
      .select([
        sql<string>`${run}`.as("run_id"),
        sql.lit("blob").as("kind"),
        sql.lit("").as("repository"),
        "b.digest",
        "b.size",
        sql.lit("unlinked").as("reason"),
        "b.touched_at as last_used_at",
      ])
      .orderBy("b.id");
    return db
      .insertInto("oci_gc_candidates")
      .columns(CANDIDATE)
      .expression(own.limit(unused, limit));
  },
);
const LAST_LINK = defineStatement("gc-last-link", RUN, (db, { run }, own) =>
  own.limit(
    db
      .selectFrom("oci_gc_candidates as c")
      .innerJoin("oci_repositories as r", "r.name", "c.repository")
      .innerJoin("blobs as b", (join) =>
        join.on("b.protocol", "=", sql.lit("oci")).onRef("b.digest", "=", "c.digest"),
      )
      .where("c.run_id", "=", run)
      .where("c.kind", "=", sql.lit("link"))
      .select(["r.id as repository", "b.id as blob"])
      .orderBy("c.id", "desc"),
    sql.lit(1),
  ),
);
const LAST_BLOB = defineStatement("gc-last-blob", RUN, (db, { run }, own) =>
  own.limit(
    db
      .selectFrom("oci_gc_candidates as c")
      .innerJoin("blobs as b", (join) =>
        join.on("b.protocol", "=", sql.lit("oci")).onRef("b.digest", "=", "c.digest"),
      )
      .where("c.run_id", "=", run)
      .where("c.kind", "=", sql.lit("blob"))
      .select("b.id as blob")
      .orderBy("c.id", "desc"),
    sql.lit(1),
  ),
);
/** One runner at a time writes candidates of a run down, so what comes after this is its own. */
const LAST = defineStatement("gc-last-candidate", {}, (db) =>
  db.selectFrom("oci_gc_candidates").select(({ fn }) => fn.max<number | null>("id").as("id")),
);
const SINCE = defineStatement(
  "gc-totals-since",
  { ...RUN, last: param.whole },
  (db, { run, last }, own) =>
    db
      .selectFrom("oci_gc_candidates")
      .where("run_id", "=", run)
      .where("id", ">", last)
      .select(totals(own)),
);

type LinkKey = { readonly repository: number; readonly blob: number };
type Walk = { link: LinkKey; blob: number };

export function createUnreferencedMarks(context: Marking): UnreferencedMarks {
  const { changes } = context;
  const walks = new Map<string, Walk>();
  const walkOf = (run: RunKey): Walk => {
    const knownWalk = walks.get(run.id);
    if (knownWalk) return knownWalk;
    const walk: Walk = { link: { repository: 0, blob: 0 }, blob: 0 };
    walks.set(run.id, walk);
    return walk;
  };
  const batchOf = (run: RunKey, limit: number) => ({
    ...useLimits(run),
    run: run.id,
    now: changes.now(),
    limit,
  });
  return {
    async markLinks(run, surface, limit) {
      const walk = walkOf(run);
      const batch = { ...batchOf(run, limit), ...surfaceValues(surface), ...walk.link };
      const { written, end } = await marking(context, (unit) => markLinksAfter(unit, batch));
      if (end) walk.link = end;
      return { ...written, more: end !== undefined };
    },
    async markBlobs(run, limit) {
      const walk = walkOf(run);
      const batch = { ...batchOf(run, limit), blob: walk.blob };
      const { written, end } = await marking(context, (unit) => markBlobsAfter(unit, batch));
      if (end !== undefined) walk.blob = end;
      return { ...written, more: end !== undefined };
    },
    forget: (run) => void walks.delete(run),
  };
}

type Step<Key> = { readonly written: Totals; readonly end: Key | undefined };

async function markLinksAfter(
  unit: Unit,
  batch: Values<typeof BATCH & typeof LINK_KEY & typeof SURFACE>,
): Promise<Step<LinkKey>> {
  const { queries } = unit;
  const end = await queries.one(LINKS_END, batch);
  if (!end) return { written: NOTHING, end };
  const written = await writtenBy(unit, batch.run, () => queries.run(WRITE_LINKS, batch));
  if (written.count < batch.limit) return { written, end };
  // The batch was full before its window ended.
  return { written, end: await queries.one(LAST_LINK, batch) };
}

async function markBlobsAfter(
  unit: Unit,
  batch: Values<typeof BATCH & typeof BLOB_KEY>,
): Promise<Step<number>> {
  const { queries } = unit;
  const end = (await queries.one(BLOBS_END, batch))?.blob ?? undefined;
  if (end === undefined) return { written: NOTHING, end };
  const written = await writtenBy(unit, batch.run, () => queries.run(WRITE_BLOBS, batch));
  if (written.count < batch.limit) return { written, end };
  return { written, end: (await queries.one(LAST_BLOB, batch))?.blob };
}

/** Totals of the candidates that a batch writes. */
async function writtenBy(
  { queries }: Unit,
  run: string,
  write: () => Promise<number>,
): Promise<Totals> {
  const before = await queries.one(LAST, {});
  if ((await write()) === 0) return NOTHING;
  return (await queries.one(SINCE, { run, last: before?.id ?? 0 })) ?? NOTHING;
}
