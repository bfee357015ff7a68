import type { NpmDependents } from "@sealhouse/npm-protocol";
import type { DatabaseConfig } from "../connection-string.ts";
import type { QueryPort } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";
import { nameLimit } from "./name-limit.ts";

const FROM = `from npm_dependencies d join npm_packages p on p.id = d.package_id
  where d.dependency_name = ?`;

export function createNpmDependents(port: QueryPort, type: DatabaseConfig["type"]): NpmDependents {
  return {
    async dependents(name, { from, size, ...limit }) {
      const limits = nameLimit(type, limit);
      const source = [FROM, ...limits.map(({ sql }) => sql)].join(" and ");
      const given = [name.toLowerCase(), ...limits.flatMap(({ parameters }) => parameters)];
      const counted = await port.one({ sql: `select count(*) as total ${source}` }, given);
      const page = { sql: `select p.name ${source} order by p.name limit ? offset ?` };
      const rows = await port.all(page, [...given, size, from]);
      return {
        total: counted ? numberOf(counted, "total") : 0,
        names: rows.map((row) => textOf(row, "name")),
      };
    },
  };
}
