import { sql } from "#kysely";
import type { Deprecation, PackagePast, PastVersion } from "@sealhouse/nuget-protocol";
import { factsAt } from "../../history/facts-at.ts";
import type { FactAt } from "../../history/facts-at.ts";
import { OPEN_END } from "../../history/follow-changes.ts";
import { keptPackages } from "./kept-packages.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import { nugetVersions } from "../../statements/versions-of.ts";

const ID = { id: param.text(128) };

const DIGESTS = defineStatement("nuget-digests", ID, (db, { id }) =>
  nugetVersions(db, id)
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .select(["v.lower_version", "b.digest"]),
);
/** The digest of a version at a time and its current one, which is null for a deleted version. */
const VERSION = defineStatement(
  "nuget-version-at",
  { ...ID, version: param.text(256), time: param.time },
  (db, { id, version, time }) =>
    db
      .selectFrom("history as h")
      .leftJoin("nuget_packages as p", "p.lower_id", "h.name")
      .leftJoin("nuget_versions as v", (join) =>
        join.onRef("v.package_id", "=", "p.id").onRef("v.lower_version", "=", "h.item"),
      )
      .leftJoin("blobs as b", "b.id", "v.blob_id")
      .where("h.protocol", "=", sql.lit("nuget"))
      .where("h.name", "=", id)
      .where("h.kind", "=", sql.lit("version"))
      .where("h.item", "=", version)
      .where("h.valid_from", "<=", time)
      .where("h.valid_to", ">", time)
      .select(["h.value", "h.valid_to", "b.digest"]),
  { recall: "rows" },
);

export function createPackagePast(
  queries: Queries,
  beginning: PackagePast["beginning"],
): PackagePast {
  return {
    async versions(id, time) {
      const facts = await factsAt(queries, { protocol: "nuget", name: id, time });
      if (facts.length === 0) return [];
      const rows = await queries.all(DIGESTS, { id });
      const digests = new Map(rows.map((row) => [row.lower_version, row.digest]));
      return pastVersions(facts, (lower) => digests.get(lower));
    },
    async version(id, version, time) {
      const row = await queries.one(VERSION, { id, version, time });
      if (!row) return undefined;
      const isOpen = row.valid_to.getTime() === OPEN_END.getTime();
      return { isKept: row.digest === row.value, ...(!isOpen && { until: row.valid_to }) };
    },
    kept: (id, time, version) => keptPackages(queries, { id, time, version }),
    beginning,
  };
}

function pastVersions(
  facts: readonly FactAt[],
  digestOf: (version: string) => string | undefined,
): readonly PastVersion[] {
  const valuesOf = (kind: string) =>
    new Map(facts.filter((fact) => fact.kind === kind).map(({ item, value }) => [item, value]));
  const unlisted = valuesOf("listing");
  const deprecations = valuesOf("deprecation");
  return facts
    .filter(({ kind }) => kind === "version")
    .map(({ item: version, value, until }) => {
      const deprecation = deprecations.get(version);
      return {
        version,
        listed: !unlisted.has(version),
        ...(deprecation !== undefined && { deprecation: JSON.parse(deprecation) as Deprecation }),
        isKept: digestOf(version) === value,
        ...(until && { until }),
      };
    });
}
