import { expressionBuilder, sql } from "#kysely";
import { parseDigest, SATISFIED_BY, useLimits } from "@sealhouse/oci-distribution";
import type { Marked, RepositoryToMark, RunKey, Totals } from "@sealhouse/oci-distribution";
import type { PortContext } from "../../port-context.ts";
import { param } from "../../statements/kinds.ts";
import type { Values } from "../../statements/kinds.ts";
import type { Dialect } from "../../statements/dialects/dialect.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { Tables } from "../../statements/tables.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { findRepository } from "../oci-rows.ts";
import { ociParam } from "../oci-param.ts";
import { LIMITS } from "./kept-by.ts";
import { lacksSubject, withReached } from "./reached.ts";

const MARKING = { ...LIMITS, repository: param.whole };
const RUN = { run: param.text(36) };
const NAME = { ...RUN, name: ociParam.repositoryName };

/** The columns of a candidate, in the order of what is inserted. */
export const CANDIDATE = [
  "run_id",
  "kind",
  "repository",
  "digest",
  "size",
  "reason",
  "last_used_at",
] as const;

const edges = expressionBuilder<Tables & { e: Tables["oci_manifest_edges"] }, "e">();

/** Queries for the content of edge `e` in its repository. */
const IN_REPOSITORY = {
  manifest: edges
    .selectFrom("oci_manifests as c")
    .whereRef("c.repository_id", "=", "e.repository_id")
    .whereRef("c.digest", "=", "e.child")
    .select("c.id"),
  blob: edges
    .selectFrom("blobs as b")
    .innerJoin("oci_repository_blobs as l", (join) =>
      join.onRef("l.blob_id", "=", "b.id").onRef("l.repository_id", "=", "e.repository_id"),
    )
    .where("b.protocol", "=", sql.lit("oci"))
    .whereRef("b.digest", "=", "e.child")
    .where("b.state", "=", sql.lit("live"))
    .select("b.id"),
} as const;

/** Whether nothing in the repository satisfies edge `e` (rule R9). */
const IS_HOLE = edges.or(
  Object.entries(SATISFIED_BY)
    .filter(([, types]) => types.length > 0)
    .map(([kind, types]) =>
      edges.and([
        edges("e.kind", "=", sql.lit(kind)),
        ...types.map((type) => edges.not(edges.exists(IN_REPOSITORY[type]))),
      ]),
    ),
);

/** Reached manifests that need something missing, or whose own bytes are incomplete. */
const BROKEN = defineStatement("gc-broken", MARKING, (db, parameters, own) => {
  const holes = withReached(db, parameters)
    .selectFrom("reached as q")
    .innerJoin("oci_manifests as m", (join) =>
      join.onRef("m.id", "=", "q.id").on("m.repository_id", "=", parameters.repository),
    )
    .innerJoin("oci_manifest_edges as e", "e.manifest_id", "q.id")
    .where(IS_HOLE)
    .select(["m.digest as manifest", sql.ref<string | null>("e.child").as("missing")]);
  const broken = holes.unionAll((all) =>
    all
      .selectFrom("reached as q")
      .innerJoin("oci_manifests as m", (join) =>
        join.onRef("m.id", "=", "q.id").on("m.repository_id", "=", parameters.repository),
      )
      .where(own.byteLength(sql.ref("m.bytes")), "<>", sql.ref<number>("m.size"))
      .select(["m.digest as manifest", sql<string | null>`null`.as("missing")]),
  );
  return own.limit(broken.orderBy("manifest").orderBy("missing"), sql.lit(1));
});
const FORGET = defineStatement("gc-forget-manifests", NAME, (db, { run, name }) =>
  db
    .deleteFrom("oci_gc_candidates")
    .where("run_id", "=", run)
    .where("kind", "=", sql.lit("manifest"))
    .where("repository", "=", name),
);
const WRITE_DOWN = defineStatement("gc-mark-manifests", { ...MARKING, ...RUN }, (db, parameters) =>
  db
    .insertInto("oci_gc_candidates")
    .columns(CANDIDATE)
    .expression(
      withReached(db, parameters)
        .selectFrom("oci_repositories as r")
        .innerJoin("oci_manifests as m", "m.repository_id", "r.id")
        .leftJoin("reached as q", "q.id", "m.id")
        .where("r.id", "=", parameters.repository)
        .where("q.id", "is", null)
        .select((manifest) => [
          sql<string>`${parameters.run}`.as("run_id"),
          sql.lit("manifest").as("kind"),
          "r.name as repository",
          "m.digest",
          "m.size",
          manifest
            .case()
            .when(lacksSubject())
            .then(sql.lit("subject-gone"))
            .else(sql.lit("untagged"))
            .end()
            .as("reason"),
          "m.touched_at as last_used_at",
        ])
        .orderBy("m.id", "desc"),
    ),
);
const TOTALS = defineStatement("gc-manifest-totals", NAME, (db, { run, name }, own) =>
  db
    .selectFrom("oci_gc_candidates")
    .where("run_id", "=", run)
    .where("kind", "=", sql.lit("manifest"))
    .where("repository", "=", name)
    .select(totals(own)),
);

/** The number of candidates and their size. */
export function totals(own: Dialect) {
  return [sql<number>`count(*)`.as("count"), own.sum(sql.ref("size")).as("bytes")] as const;
}

/** PostgreSQL's settings for the rest of a transaction: without compilation and parallel workers,
 * which take longer to start than most queries of the collector run. */
const PLAIN_PLANS = defineStatement("gc-plain-plans", {}, (db) =>
  db.selectNoFrom([
    sql<string>`set_config('jit', 'off', true)`.as("jit"),
    sql<string>`set_config('max_parallel_workers_per_gather', '0', true)`.as("workers"),
  ]),
);

/** Parts of the database that marking uses. */
export type Marking = Pick<PortContext, "type" | "changes">;

/** Runs work in a transaction that marks. */
export function marking<T>(
  { type, changes }: Marking,
  work: (unit: Unit) => Promise<T>,
): Promise<T> {
  return changes.transaction(async (unit) => {
    if (type === "PostgreSQL") await unit.queries.one(PLAIN_PLANS, {});
    return work(unit);
  });
}

/**
 * Marks newest manifests first. Clients push children before parents, so few removals are blocked.
 */
export function mark(
  context: Marking,
  run: RunKey,
  { repository: name, untaggedSince }: RepositoryToMark,
): Promise<Marked> {
  return marking(context, async (unit) => {
    const { queries } = unit;
    const repository = await findRepository(unit, name);
    if (repository === undefined) return { status: "marked", ...NOTHING };
    const now = context.changes.now();
    const values = { ...useLimits(run, untaggedSince), now, repository };
    const broken = await findBroken(unit, values);
    if (broken) return broken;
    const key = { run: run.id, name };
    await queries.run(FORGET, key);
    const written = await queries.run(WRITE_DOWN, { ...values, run: run.id });
    const marked = written === 0 ? NOTHING : await queries.one(TOTALS, key);
    return { status: "marked", ...(marked ?? NOTHING) };
  });
}

export const NOTHING: Totals = { count: 0, bytes: 0 };

async function findBroken(
  { queries }: Unit,
  values: Values<typeof MARKING>,
): Promise<Marked | undefined> {
  const row = await queries.one(BROKEN, values);
  if (!row) return undefined;
  return {
    status: "broken",
    manifest: parseDigest(row.manifest),
    ...(row.missing !== null && { missing: parseDigest(row.missing) }),
  };
}
