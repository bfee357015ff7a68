import type { NpmOwners, OwnedPackage } from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import { containing } from "../raw/like.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { textOf } from "../raw/row.ts";
import { createNpmOwnerChanges } from "./owner-changes.ts";
import { maintainersOf } from "./package-access.ts";

const LIST = "select name, maintainers from npm_packages";
const OF_SCOPE: Statement = {
  name: "npm-packages-of-scope",
  sql: `${LIST} where name like ? escape '!' order by name`,
};
const OF_MAINTAINER: Statement = {
  name: "npm-packages-of-maintainer",
  sql: `${LIST} where maintainers like ? escape '!' order by name`,
};

export function createNpmOwners(port: QueryPort, changes: Changes): NpmOwners {
  return {
    ...createNpmOwnerChanges(changes),
    async packages(of) {
      if ("scope" in of) {
        const prefix = `${of.scope}/`;
        const rows = await port.all(OF_SCOPE, [containing(prefix).slice(1)]);
        // A database may compare without regard to letter case.
        return rows.map(ownedPackage).filter(({ name }) => name.startsWith(prefix));
      }
      const { maintainer } = of;
      const rows = await port.all(OF_MAINTAINER, [containing(JSON.stringify(maintainer))]);
      return rows
        .map(ownedPackage)
        .filter(({ maintainers }) => maintainers.some(({ name }) => name === maintainer));
    },
  };
}

function ownedPackage(row: Row): OwnedPackage {
  return { name: textOf(row, "name"), maintainers: maintainersOf(row) ?? [] };
}
