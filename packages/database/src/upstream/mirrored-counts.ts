import { sql } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { Parameters } from "../statements/parameter.ts";

/** Names that were found at a source, and their versions (images: tags) that are here. */
export type MirroredCount = { readonly names: number; readonly versions: number };

const SOURCE = { source: param.text(64) };
const OF_SOURCE = { protocol: param.text(NAME_LENGTH.protocol), ...SOURCE };

const NAMES = defineStatement("mirrored-names-count", OF_SOURCE, (db, { protocol, source }) =>
  db
    .selectFrom("name_origins")
    .where("protocol", "=", protocol)
    .where("origin", "=", sql.lit("mirrored"))
    .where("source", "=", source)
    .select(({ fn }) => fn.countAll<number>().as("total")),
);

const namesFrom = (own: Dialect, protocol: Protocol, { source }: Parameters<typeof SOURCE>) =>
  own.db
    .selectFrom("name_origins as o")
    .where("o.protocol", "=", sql.lit(protocol))
    .where("o.origin", "=", sql.lit("mirrored"))
    .where("o.source", "=", source);

const VERSIONS = {
  nuget: defineStatement("mirrored-versions-nuget", SOURCE, (_db, source, own) =>
    namesFrom(own, "nuget", source)
      .innerJoin("nuget_packages as p", "p.lower_id", "o.name")
      .innerJoin("nuget_versions as v", "v.package_id", "p.id")
      .select(({ fn }) => fn.countAll<number>().as("total")),
  ),
  npm: defineStatement("mirrored-versions-npm", SOURCE, (_db, source, own) =>
    namesFrom(own, "npm", source)
      .innerJoin("npm_packages as p", "p.name", "o.name")
      .innerJoin("npm_versions as v", "v.package_id", "p.id")
      .select(({ fn }) => fn.countAll<number>().as("total")),
  ),
  oci: defineStatement("mirrored-tags-oci", SOURCE, (_db, source, own) =>
    namesFrom(own, "oci", source)
      .innerJoin("oci_repositories as r", "r.name", "o.name")
      .innerJoin("oci_tags as t", "t.repository_id", "r.id")
      .select(({ fn }) => fn.countAll<number>().as("total")),
  ),
} as const;

/** Counts what was mirrored from a source. */
export async function mirroredCount(
  queries: Queries,
  { protocol, source }: { readonly protocol: Protocol; readonly source: string },
): Promise<MirroredCount> {
  const names = await queries.one(NAMES, { protocol, source });
  const versions = await queries.one(VERSIONS[protocol], { source });
  return { names: names?.total ?? 0, versions: versions?.total ?? 0 };
}
