import type { HiddenNames, Protocol } from "@sealhouse/request-types";
import { param } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";
import {
  HIDDEN_NAMES,
  hiddenParameters,
  hiddenValues,
  isHidden,
} from "./visibility/hidden-names.ts";

/** OCI: the repository and the tag. */
export type LatestPackage = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  readonly publishedAt: Date;
};

/** The names that a caller does not see, by protocol. None where a protocol is absent. */
export type HiddenByProtocol = Readonly<
  Partial<Record<Protocol, Pick<HiddenNames, "isSignedIn" | "owners">>>
>;

const KINDS = { limit: param.whole, ...HIDDEN_NAMES };

const NUGET = defineStatement("latest-nuget", KINDS, (db, { limit, ...hidden }, own) =>
  own.limit(
    db
      .selectFrom("nuget_versions as v")
      .innerJoin("nuget_packages as p", "p.id", "v.package_id")
      .select(["v.display_id as name", "v.version", "v.published_at"])
      .where("v.listed", "=", own.yes)
      .where((row) =>
        row.not(isHidden("nuget", row.ref("p.lower_id"), hiddenParameters(hidden, own))),
      )
      .orderBy("v.published_at", "desc")
      .orderBy("v.id", "desc"),
    limit,
  ),
);
const NPM = defineStatement("latest-npm", KINDS, (db, { limit, ...hidden }, own) =>
  own.limit(
    db
      .selectFrom("npm_versions as v")
      .innerJoin("npm_packages as p", "p.id", "v.package_id")
      .select(["p.name", "v.version", "v.published_at"])
      .where("v.deprecated", "is", null)
      .where((row) => row.not(isHidden("npm", row.ref("p.name"), hiddenParameters(hidden, own))))
      .orderBy("v.published_at", "desc")
      .orderBy("v.id", "desc"),
    limit,
  ),
);
const OCI = defineStatement("latest-oci", KINDS, (db, { limit, ...hidden }, own) =>
  own.limit(
    db
      .selectFrom("oci_tags as t")
      .innerJoin("oci_repositories as r", "r.id", "t.repository_id")
      .select(["r.name", "t.tag as version", "t.updated_at as published_at"])
      .where((row) => row.not(isHidden("oci", row.ref("r.name"), hiddenParameters(hidden, own))))
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
  hidden: HiddenByProtocol = {},
): Promise<readonly LatestPackage[]> {
  const valuesOf = (protocol: Protocol) => ({ limit, ...hiddenValues(hidden[protocol]) });
  const nuget = await queries.all(NUGET, valuesOf("nuget"));
  const npm = await queries.all(NPM, valuesOf("npm"));
  const oci = await queries.all(OCI, valuesOf("oci"));
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
