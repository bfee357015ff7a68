import { expressionBuilder, sql } from "#kysely";
import type { Expression, Kysely, QueryCreator, SqlBool } from "#kysely";
import { KEEPINGS } from "@sealhouse/oci-distribution";
import type { Keeping } from "@sealhouse/oci-distribution";
import type { Parameters } from "../../statements/parameter.ts";
import type { Tables } from "../../statements/tables.ts";
import { isKept } from "./kept-by.ts";
import type { LIMITS } from "./kept-by.ts";

type Limits = Parameters<typeof LIMITS>;
type Database = Pick<Kysely<Tables>, "selectFrom">;

const eb = expressionBuilder<Tables>();

/** Whether `oci_manifests as m` is a root. */
export function isRoot(limits: Limits): Expression<SqlBool> {
  const tags = eb
    .selectFrom("oci_tags as t")
    .where("t.manifest_id", "=", sql.ref<number>("m.id"))
    .where("t.subject", "is", null)
    .select(sql.lit(1).as("one"));
  return isKept({
    kind: "manifest",
    columns: {
      digest: sql.ref("m.digest"),
      clocks: { manifest: sql.ref("m.touched_at") },
      namedBy: { tags },
    },
    limits,
  });
}

/** The rows of a `Keeping`, and the column with the manifest to which each belongs. */
const ROWS = {
  edges: { table: "oci_manifest_edges", manifest: "f.manifest_id" },
  manifests: { table: "oci_manifests", manifest: "f.id" },
  tags: { table: "oci_tags", manifest: "f.manifest_id" },
} as const;

/** The columns of which each table has those that its keeping names. */
type KeepingRow = Pick<Tables["oci_manifests"], "id" | "repository_id" | "subject"> &
  Pick<Tables["oci_manifest_edges"], "manifest_id" | "child">;

/** The rows of a keeping, as `f`. */
function rowsOf(db: Database, rows: Keeping["rows"]) {
  return db.selectFrom(sql<KeepingRow>`${sql.table(ROWS[rows].table)}`.as("f"));
}

/** A keeping as ids of manifests: `f` names one of them by its digest, which `o` is. */
function keepingOf(db: Database, { rows, keeper, kept }: Keeping) {
  const { manifest } = ROWS[rows];
  const digest = keeper === "manifest" ? kept : keeper;
  const id = (of: Keeping["keeper" | "kept"]) =>
    sql.ref<number>(of === "manifest" ? manifest : "o.id");
  const from = rowsOf(db, rows).innerJoin("oci_manifests as o", (join) =>
    join
      .onRef("o.repository_id", "=", "f.repository_id")
      .on("o.digest", "=", sql.ref<string>(`f.${digest}`)),
  );
  return { from, keeper: id(keeper), kept: id(kept) };
}

/** Who keeps whom within one repository, as `keeper` and `kept`. */
function keeps(db: Database, repository: Expression<number>) {
  return unionAll(
    KEEPINGS.map((keeping) => {
      const { from, keeper, kept } = keepingOf(db, keeping);
      return from
        .where("f.repository_id", "=", repository)
        .select([keeper.as("keeper"), kept.as("kept")]);
    }),
  );
}

/** As `reached`: the ids of all manifests of a repository that a root reaches (rule R15). */
export function withReached(
  db: Kysely<Tables>,
  { repository, ...limits }: Limits & { readonly repository: Expression<number> },
): QueryCreator<Tables & { reached: { id: number } }> {
  return db.withRecursive("reached(id)", (cte) =>
    cte
      .selectFrom("oci_manifests as m")
      .where("m.repository_id", "=", repository)
      .where(isRoot(limits))
      .select("m.id")
      .union(
        cte
          .selectFrom("reached as r")
          .innerJoin(keeps(db, repository).as("k"), "k.keeper", "r.id")
          .select("k.kept as id"),
      ),
  );
}

/** The other way, as `keepers`: a manifest and all that keep it. */
export function withKeepers(
  db: Kysely<Tables>,
  target: { readonly repository: Expression<number>; readonly manifest: Expression<number> },
): QueryCreator<Tables & { keepers: { id: number } }> {
  return db.withRecursive("keepers(id)", (cte) =>
    cte
      .selectFrom("oci_manifests as m")
      .where("m.id", "=", target.manifest)
      .select("m.id")
      .union(
        cte
          .selectFrom("keepers as r")
          .innerJoin(keeps(db, target.repository).as("k"), "k.kept", "r.id")
          .select("k.keeper as id"),
      ),
  );
}

/** Other manifests that keep one and must go first (rule R6). */
export function blockersOf(db: Database, manifest: Expression<number>, blocks: Keeping["blocks"]) {
  return unionAll(
    KEEPINGS.filter((keeping) => keeping.blocks === blocks).map((keeping) => {
      const { from, keeper, kept } = keepingOf(db, keeping);
      return from
        .where(kept, "=", manifest)
        .where(keeper, "<>", manifest)
        .select(keeper.as("keeper"));
    }),
  );
}

/** Whether the repository lacks a subject of `oci_manifests as m`. */
export function lacksSubject(): Expression<SqlBool> {
  const keepings = KEEPINGS.filter(({ keeper }) => keeper === "subject");
  return eb.or(
    keepings.map(({ rows }) => {
      const lacking = rowsOf(eb, rows)
        .where(sql.ref(ROWS[rows].manifest), "=", sql.ref("m.id"))
        .where("f.subject", "is not", null)
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom("oci_manifests as o")
                .whereRef("o.repository_id", "=", "f.repository_id")
                .whereRef("o.digest", "=", "f.subject")
                .select("o.id"),
            ),
          ),
        );
      return eb.exists(lacking.select("f.repository_id"));
    }),
  );
}

function unionAll<Q extends { unionAll(query: Q): Q }>(queries: readonly Q[]): Q {
  const [first, ...others] = queries;
  if (!first) throw new Error("There is no query to unite.");
  return others.reduce((all, query) => all.unionAll(query), first);
}
