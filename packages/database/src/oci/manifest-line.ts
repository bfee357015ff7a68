import { expressionBuilder, sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import { parseDigest } from "@sealhouse/oci-distribution";
import type { ManifestLine } from "@sealhouse/oci-distribution";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { Tables } from "../statements/tables.ts";

/** A manifest of this size has some hundred edges; larger ones are not summed for a list. */
const SUMMED_BYTES_MAX = 64 * 1024;

/** Edges of an index to what it lists. */
const CHILD_KINDS = [sql.lit("child"), sql.lit("sparse")] as const;

/** The indexes of a repository that list a manifest, as `m`. */
export const indexesOf = (
  db: Kysely<Tables>,
  repository: Expression<string>,
  digest: Expression<string>,
) =>
  db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_manifest_edges as p", "p.repository_id", "r.id")
    .innerJoin("oci_manifests as m", "m.id", "p.manifest_id")
    .where("r.name", "=", repository)
    .where("p.child", "=", digest)
    .where("p.kind", "in", CHILD_KINDS)
    .where("m.deleted_at", "is", null);

/** Columns of a list, of `oci_manifests as m`. */
export function lineColumns(own: Dialect) {
  const eb = expressionBuilder<Tables & { m: Tables["oci_manifests"] }, "m">();
  const edges = eb
    .selectFrom("oci_manifest_edges as e")
    .where("e.manifest_id", "=", sql.ref<number>("m.id"));
  const ifSmall = (value: Expression<number>) =>
    eb.case().when("m.size", "<=", sql.lit(SUMMED_BYTES_MAX)).then(value).end();
  const contentSize = edges
    .where("e.kind", "not in", CHILD_KINDS)
    .select(own.sum(sql.ref("e.size")).as("size"));
  const children = edges
    .where("e.kind", "in", CHILD_KINDS)
    .select(({ fn }) => fn.countAll<number>().as("children"));
  return [
    "m.digest",
    "m.media_type",
    "m.size",
    "m.artifact_type",
    ifSmall(contentSize.$asScalar()).as("content_size"),
    ifSmall(children.$asScalar()).as("children"),
  ] as const;
}

/** A row of these columns. */
export type LineRow = {
  readonly digest: string;
  readonly media_type: string;
  readonly size: number;
  readonly artifact_type: string | null;
  readonly content_size: number | null;
  readonly children: number | null;
};

export function lineOf(row: LineRow): ManifestLine {
  const { content_size: size, children } = row;
  return {
    digest: parseDigest(row.digest),
    mediaType: row.media_type,
    size: row.size,
    ...(row.artifact_type !== null && { artifactType: row.artifact_type }),
    ...(size !== null && children !== null && { content: { size, children } }),
  };
}
