import type { Expression, Kysely } from "#kysely";
import type { Tables } from "./tables.ts";

/** The versions `v` of the NuGet package `p` with a lower-case id. */
export function nugetVersions(db: Kysely<Tables>, lowerId: Expression<string>) {
  return db
    .selectFrom("nuget_packages as p")
    .innerJoin("nuget_versions as v", "v.package_id", "p.id")
    .where("p.lower_id", "=", lowerId);
}

/** The versions `v` of the npm package `p` with a name. */
export function npmVersions(db: Kysely<Tables>, name: Expression<string>) {
  return db
    .selectFrom("npm_packages as p")
    .innerJoin("npm_versions as v", "v.package_id", "p.id")
    .where("p.name", "=", name);
}
