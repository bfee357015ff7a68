import type { NpmAttestations } from "@sealhouse/npm-protocol";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { textOf } from "../raw/row.ts";

const OF_VERSION: Statement = {
  name: "npm-attestations",
  sql: `select a.predicate_type, a.bundle
    from npm_packages p
    join npm_versions v on v.package_id = p.id
    join npm_attestations a on a.version_id = v.id
    where p.name = ? and v.version = ? order by a.id`,
};

export function createNpmAttestations(port: QueryPort): NpmAttestations {
  return {
    async of(name, version) {
      const rows = await port.all(OF_VERSION, [name, version]);
      return rows.map((row) => ({
        predicateType: textOf(row, "predicate_type"),
        bundle: textOf(row, "bundle"),
      }));
    },
  };
}
