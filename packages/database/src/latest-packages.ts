import type { Protocol } from "@sealhouse/request-types";
import { param } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";

/** OCI: the repository and the tag. */
export type LatestPackage = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  readonly publishedAt: Date;
};

const LIMIT = { limit: param.whole };

const NUGET = defineStatement("latest-nuget", LIMIT, (db, { limit }, own) =>
  own.limit(
    db
      .selectFrom("nuget_versions")
      .select(["display_id as name", "version", "published_at"])
      .where("listed", "=", own.yes)
      .orderBy("published_at", "desc")
      .orderBy("id", "desc"),
    limit,
  ),
);
const NPM = defineStatement("latest-npm", LIMIT, (db, { limit }, own) =>
  own.limit(
    db
      .selectFrom("npm_versions as v")
      .innerJoin("npm_packages as p", "p.id", "v.package_id")
      .select(["p.name", "v.version", "v.published_at"])
      .where("v.deprecated", "is", null)
      .orderBy("v.published_at", "desc")
      .orderBy("v.id", "desc"),
    limit,
  ),
);
const OCI = defineStatement("latest-oci", LIMIT, (db, { limit }, own) =>
  own.limit(
    db
      .selectFrom("oci_tags as t")
      .innerJoin("oci_repositories as r", "r.id", "t.repository_id")
      .select(["r.name", "t.tag as version", "t.updated_at as published_at"])
      .orderBy("t.updated_at", "desc")
      .orderBy("r.name")
      .orderBy("t.tag"),
    limit,
  ),
);

/** Returns the most recently published packages of all protocols, newest first. */
export async function latestPackages(
  queries: Queries,
  limit: number,
): Promise<readonly LatestPackage[]> {
  const nuget = await queries.all(NUGET, { limit });
  const npm = await queries.all(NPM, { limit });
  const oci = await queries.all(OCI, { limit });
  return [
    ...nuget.map((row) => latestOf("nuget", row)),
    ...npm.map((row) => latestOf("npm", row)),
    ...oci.map((row) => latestOf("oci", row)),
  ]
    .toSorted((entry, other) => other.publishedAt.getTime() - entry.publishedAt.getTime())
    .slice(0, limit);
}

type Published = {
  readonly name: string;
  readonly version: string;
  readonly published_at: Date;
};

function latestOf(
  protocol: LatestPackage["protocol"],
  { name, version, published_at: publishedAt }: Published,
): LatestPackage {
  return { protocol, name, version, publishedAt };
}
