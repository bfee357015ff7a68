import type { Protocol } from "@sealhouse/request-types";
import type { QueryPort, Row, Statement } from "./raw/query-port.ts";
import { textOf, timeOf } from "./raw/row.ts";

/** OCI: the repository and the tag. */
export type LatestPackage = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  readonly publishedAt: Date;
};

const STATEMENTS: Readonly<Record<LatestPackage["protocol"], Statement>> = {
  nuget: {
    name: "latest-nuget",
    sql: `select display_id as name, version, published_at from nuget_versions
      where listed = ? order by published_at desc, id desc limit ?`,
  },
  npm: {
    name: "latest-npm",
    sql: `select p.name, v.version, v.published_at from npm_versions v
      join npm_packages p on p.id = v.package_id
      where v.deprecated is null order by v.published_at desc, v.id desc limit ?`,
  },
  oci: {
    name: "latest-oci",
    sql: `select r.name, t.tag as version, t.updated_at as published_at from oci_tags t
      join oci_repositories r on r.id = t.repository_id
      order by t.updated_at desc, r.name, t.tag limit ?`,
  },
};

/** What came last, of all protocols together, newest first. */
export async function latestPackages(
  port: QueryPort,
  limit: number,
): Promise<readonly LatestPackage[]> {
  const nuget = await port.all(STATEMENTS.nuget, [true, limit]);
  const npm = await port.all(STATEMENTS.npm, [limit]);
  const oci = await port.all(STATEMENTS.oci, [limit]);
  return [
    ...nuget.map((row) => latestOf("nuget", row)),
    ...npm.map((row) => latestOf("npm", row)),
    ...oci.map((row) => latestOf("oci", row)),
  ]
    .toSorted((one, other) => other.publishedAt.getTime() - one.publishedAt.getTime())
    .slice(0, limit);
}

function latestOf(protocol: LatestPackage["protocol"], row: Row): LatestPackage {
  return {
    protocol,
    name: textOf(row, "name"),
    version: textOf(row, "version"),
    publishedAt: timeOf(row, "published_at"),
  };
}
