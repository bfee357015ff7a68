import { sql } from "#kysely";
import type { AliasedExpression, Expression } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { HistoryKind } from "./history-kinds.ts";

/**
 * `texts` parameters of names, and of versions and tags of them; an empty item means the whole
 * name.
 */
export type StateFilter = {
  readonly names: Expression<unknown>;
  readonly items?: Expression<unknown>;
};

/** A fact that holds now. `since` is null where the state does not tell. */
export type Fact = {
  readonly name: string;
  readonly kind: string;
  readonly item: string;
  readonly value: string;
  readonly since: Date | null;
};

/** The kinds of facts that `currentState` returns. */
export const FACT_KINDS: Readonly<Record<Protocol, readonly HistoryKind[]>> = {
  nuget: ["version", "listing", "deprecation", "owners"],
  npm: ["version", "deprecation", "tag", "owners", "visibility"],
  oci: ["tag"],
};

/** Returns the facts of a protocol that hold now, as a table with the alias `c`. */
export function currentState(
  own: Dialect,
  protocol: Protocol,
  filter: StateFilter,
): AliasedExpression<Fact, "c"> {
  switch (protocol) {
    case "nuget":
      return nugetState(own, filter);
    case "npm":
      return npmState(own, filter);
    case "oci":
      return ociState(own, filter);
  }
}

const kindOf = (kind: HistoryKind) => sql.lit(kind).as("kind");
const WHOLE_NAME = sql.lit("");
const UNKNOWN_TIME = sql<Date | null>`null`.as("since");

function nugetState(own: Dialect, { names, items }: StateFilter): AliasedExpression<Fact, "c"> {
  const packages = own.db
    .selectFrom("nuget_packages as p")
    .where((row) => own.isIn(row.ref("p.lower_id"), names));
  const all = packages.innerJoin("nuget_versions as v", "v.package_id", "p.id");
  const versions = items ? all.where((row) => own.isIn(row.ref("v.lower_version"), items)) : all;
  return versions
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .select(["p.lower_id as name", kindOf("version"), "v.lower_version as item"])
    .select(["b.digest as value", "v.published_at as since"])
    .$castTo<Fact>()
    .unionAll(
      versions
        .where("v.listed", "=", own.no)
        .select(["p.lower_id as name", kindOf("listing"), "v.lower_version as item"])
        .select([sql.lit("unlisted").as("value"), UNKNOWN_TIME])
        .$castTo<Fact>(),
    )
    .unionAll(
      versions
        .where("v.deprecation", "is not", null)
        .select(["p.lower_id as name", kindOf("deprecation"), "v.lower_version as item"])
        .select(["v.deprecation as value", UNKNOWN_TIME])
        .$castTo<Fact>(),
    )
    .unionAll(
      (items ? packages.where(own.isIn(WHOLE_NAME, items)) : packages)
        .where("p.owners", "is not", null)
        .select(["p.lower_id as name", kindOf("owners"), WHOLE_NAME.as("item")])
        .select(["p.owners as value", UNKNOWN_TIME])
        .$castTo<Fact>(),
    )
    .as("c");
}

function npmState(own: Dialect, { names, items }: StateFilter): AliasedExpression<Fact, "c"> {
  const packages = own.db
    .selectFrom("npm_packages as p")
    .where((row) => own.isIn(row.ref("p.name"), names));
  const whole = items ? packages.where(own.isIn(WHOLE_NAME, items)) : packages;
  const all = packages.innerJoin("npm_versions as v", "v.package_id", "p.id");
  const versions = items ? all.where((row) => own.isIn(row.ref("v.version"), items)) : all;
  const tagged = packages
    .innerJoin("npm_tags as t", "t.package_id", "p.id")
    .innerJoin("npm_versions as v", "v.id", "t.version_id");
  return versions
    .select(["p.name", kindOf("version"), "v.version as item"])
    .select(["v.integrity as value", "v.published_at as since"])
    .$castTo<Fact>()
    .unionAll(
      versions
        .where("v.deprecated", "is not", null)
        .select(["p.name", kindOf("deprecation"), "v.version as item"])
        .select(["v.deprecated as value", UNKNOWN_TIME])
        .$castTo<Fact>(),
    )
    .unionAll(
      (items ? tagged.where((row) => own.isIn(row.ref("t.tag"), items)) : tagged)
        .select(["p.name", kindOf("tag"), "t.tag as item"])
        .select(["v.version as value", UNKNOWN_TIME])
        .$castTo<Fact>(),
    )
    .unionAll(
      whole
        .select(["p.name", kindOf("owners"), WHOLE_NAME.as("item")])
        .select(["p.maintainers as value", UNKNOWN_TIME])
        .$castTo<Fact>(),
    )
    .unionAll(
      whole
        .where("p.access", "is not", null)
        .select(["p.name", kindOf("visibility"), WHOLE_NAME.as("item")])
        .select(["p.access as value", UNKNOWN_TIME])
        .$castTo<Fact>(),
    )
    .as("c");
}

function ociState(own: Dialect, { names, items }: StateFilter): AliasedExpression<Fact, "c"> {
  const tags = own.db
    .selectFrom("oci_repositories as r")
    .innerJoin("oci_tags as t", "t.repository_id", "r.id")
    .innerJoin("oci_manifests as m", "m.id", "t.manifest_id")
    .where((row) => own.isIn(row.ref("r.name"), names));
  return (items ? tags.where((row) => own.isIn(row.ref("t.tag"), items)) : tags)
    .select(["r.name", kindOf("tag"), "t.tag as item"])
    .select(["m.digest as value", "t.updated_at as since"])
    .$castTo<Fact>()
    .as("c");
}
