import type { NpmDependents } from "@sealhouse/npm-protocol";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";

const COUNT: Statement = {
  name: "npm-dependents-count",
  sql: "select count(*) as total from npm_dependencies where dependency_name = ?",
};
const PAGE: Statement = {
  name: "npm-dependents",
  sql: `select p.name from npm_dependencies d join npm_packages p on p.id = d.package_id
    where d.dependency_name = ? order by p.name limit ? offset ?`,
};

export function createNpmDependents(port: QueryPort): NpmDependents {
  return {
    async dependents(name, { from, size }) {
      const wanted = name.toLowerCase();
      const counted = await port.one(COUNT, [wanted]);
      const rows = await port.all(PAGE, [wanted, size, from]);
      return {
        total: counted ? numberOf(counted, "total") : 0,
        names: rows.map((row) => textOf(row, "name")),
      };
    },
  };
}
