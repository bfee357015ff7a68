import { sql } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { manifestsOf } from "../oci/oci-rows.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const NAME = { name: param.text(255) };
const PAGE = { after: param.text(255), limit: param.whole };

/** Names that were published here before there were rows of origins, also deleted ones. */
const PUBLISHED = {
  nuget: defineStatement("name-own-nuget", NAME, (db, { name }) =>
    db
      .selectFrom("nuget_packages")
      .where("lower_id", "=", name)
      .select(sql.lit(1).as("one"))
      .unionAll(
        db.selectFrom("nuget_tombstones").where("lower_id", "=", name).select(sql.lit(1).as("one")),
      ),
  ),
  npm: defineStatement("name-own-npm", NAME, (db, { name }) =>
    db
      .selectFrom("npm_packages")
      .where("name", "=", name)
      .select(sql.lit(1).as("one"))
      .unionAll(
        db.selectFrom("npm_tombstones").where("name", "=", name).select(sql.lit(1).as("one")),
      ),
  ),
  oci: defineStatement("name-own-oci", NAME, (db, { name }) =>
    db
      .selectFrom("oci_repositories as r")
      .where("r.name", "=", name)
      .where((row) => row.exists(manifestsOf(row.ref("r.id"))))
      .select(sql.lit(1).as("one")),
  ),
} as const;

/** The row of a name that was found at a source. `name`: the column of the outer query. */
export const mirroredName = (own: Dialect, protocol: Protocol, name: string) =>
  own.db
    .selectFrom("name_origins as o")
    .where("o.protocol", "=", sql.lit(protocol))
    .where("o.name", "=", sql.ref<string>(name))
    .where("o.origin", "=", sql.lit("mirrored"))
    .select(sql.lit(1).as("one"));

/** Packages whose name was not found at a source. */
const PACKAGES = {
  nuget: defineStatement("own-names-nuget", PAGE, (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("nuget_packages as p")
        .where("p.lower_id", ">", after)
        .where((row) => row.not(row.exists(mirroredName(own, "nuget", "p.lower_id"))))
        .select("p.lower_id as name")
        .orderBy("p.lower_id"),
      limit,
    ),
  ),
  npm: defineStatement("own-names-npm", PAGE, (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("npm_packages as p")
        .where("p.name", ">", after)
        .where((row) => row.not(row.exists(mirroredName(own, "npm", "p.name"))))
        .select("p.name as name")
        .orderBy("p.name"),
      limit,
    ),
  ),
  oci: defineStatement("own-names-oci", PAGE, (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("oci_repositories as p")
        .where("p.name", ">", after)
        .where((row) => row.exists(manifestsOf(row.ref("p.id"))))
        .where((row) => row.not(row.exists(mirroredName(own, "oci", "p.name"))))
        .select("p.name as name")
        .orderBy("p.name"),
      limit,
    ),
  ),
} as const;
/** Names with a row, whose packages may be gone. */
const NOTED = defineStatement(
  "own-names-noted",
  { ...PAGE, protocol: param.text(NAME_LENGTH.protocol) },
  (db, { after, limit, protocol }, own) =>
    own.limit(
      db
        .selectFrom("name_origins")
        .where("protocol", "=", protocol)
        .where("origin", "=", sql.lit("own"))
        .where("name", ">", after)
        .select("name")
        .orderBy("name"),
      limit,
    ),
);

/** Whether anything of the name was published here; not whether it was found at a source. */
export async function isPublished(
  queries: Queries,
  protocol: Protocol,
  name: string,
): Promise<boolean> {
  return (await queries.one(PUBLISHED[protocol], { name })) !== undefined;
}

/** Names that are published here and not mirrored, in order. */
export async function ownNames(
  queries: Queries,
  protocol: Protocol,
  page: { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const published = await queries.all(PACKAGES[protocol], page);
  const noted = await queries.all(NOTED, { protocol, ...page });
  const names = new Set([...published, ...noted].map(({ name }) => name));
  return [...names].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, page.limit);
}
