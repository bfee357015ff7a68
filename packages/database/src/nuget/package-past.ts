import type { Expression, Kysely } from "#kysely";
import type { Deprecation, PackagePast, PastVersion } from "@sealhouse/nuget-protocol";
import { factsAt } from "../history/facts-at.ts";
import type { FactAt } from "../history/facts-at.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";

const ID = { id: param.text(128) };

const digestsOf = (db: Kysely<Tables>, id: Expression<string>) =>
  db
    .selectFrom("nuget_packages as p")
    .innerJoin("nuget_versions as v", "v.package_id", "p.id")
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .where("p.lower_id", "=", id)
    .select(["v.lower_version", "b.digest"]);

const DIGESTS = defineStatement("nuget-digests", ID, (db, { id }) => digestsOf(db, id));
const DIGEST = defineStatement(
  "nuget-digest",
  { ...ID, version: param.text(256) },
  (db, { id, version }) => digestsOf(db, id).where("v.lower_version", "=", version),
);

export function createPackagePast(
  queries: Queries,
  beginning: PackagePast["beginning"],
): PackagePast {
  return {
    async versions(id, time, version) {
      const query = { protocol: "nuget", name: id, time, item: version } as const;
      const facts = await factsAt(queries, query);
      if (facts.length === 0) return [];
      const rows =
        version === undefined
          ? await queries.all(DIGESTS, { id })
          : await queries.all(DIGEST, { id, version });
      const digests = new Map(rows.map((row) => [row.lower_version, row.digest]));
      return pastVersions(facts, (lower) => digests.get(lower));
    },
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
