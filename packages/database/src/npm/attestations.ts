import type { NpmAttestations } from "@sealhouse/npm-protocol";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { npmVersions } from "../statements/versions-of.ts";

const OF_VERSION = defineStatement(
  "npm-attestations",
  { name: param.text(214), version: param.text(256) },
  (db, { name, version }) =>
    npmVersions(db, name)
      .innerJoin("npm_attestations as a", "a.version_id", "v.id")
      .where("v.version", "=", version)
      .select(["a.predicate_type", "a.bundle"])
      .orderBy("a.id"),
);

export function createNpmAttestations({ queries }: Pick<PortContext, "queries">): NpmAttestations {
  return {
    async of(name, version) {
      const rows = await queries.all(OF_VERSION, { name, version });
      return rows.map((row) => ({ predicateType: row.predicate_type, bundle: row.bundle }));
    },
  };
}
