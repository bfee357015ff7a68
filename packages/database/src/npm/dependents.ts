import type { Expression, Kysely } from "#kysely";
import type { NpmDependents } from "@sealhouse/npm-protocol";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import { NAME_PATTERNS, nameMatches, namePatterns } from "./name-limit.ts";

const NAME = { name: param.text(214) };
const LIMITED = { ...NAME, ...NAME_PATTERNS };
const PAGE = { skip: param.whole, take: param.whole };

const dependentsOf = (db: Kysely<Tables>, name: Expression<string>) =>
  db
    .selectFrom("npm_dependencies as d")
    .innerJoin("npm_packages as p", "p.id", "d.package_id")
    .where("d.dependency_name", "=", name);

const COUNT = defineStatement("npm-dependents-count", NAME, (db, { name }) =>
  dependentsOf(db, name).select(({ fn }) => fn.countAll<number>().as("total")),
);
const NAMES = defineStatement("npm-dependents", { ...NAME, ...PAGE }, (db, parameters, own) =>
  own.page(dependentsOf(db, parameters.name).select("p.name").orderBy("p.name"), parameters),
);
const LIMITED_COUNT = defineStatement(
  "npm-dependents-limited-count",
  LIMITED,
  (db, parameters, own) =>
    dependentsOf(db, parameters.name)
      .where((row) => nameMatches(row.ref("p.name"), parameters, own))
      .select(({ fn }) => fn.countAll<number>().as("total")),
);
const LIMITED_NAMES = defineStatement(
  "npm-dependents-limited",
  { ...LIMITED, ...PAGE },
  (db, parameters, own) =>
    own.page(
      dependentsOf(db, parameters.name)
        .where((row) => nameMatches(row.ref("p.name"), parameters, own))
        .select("p.name")
        .orderBy("p.name"),
      parameters,
    ),
);

export function createNpmDependents({ queries }: Pick<PortContext, "queries">): NpmDependents {
  return {
    async dependents(dependency, { from: skip, size: take, names }) {
      const name = dependency.toLowerCase();
      const limited = names && { name, ...namePatterns(names) };
      const count = limited
        ? await queries.one(LIMITED_COUNT, limited)
        : await queries.one(COUNT, { name });
      const rows = limited
        ? await queries.all(LIMITED_NAMES, { ...limited, skip, take })
        : await queries.all(NAMES, { name, skip, take });
      return { total: count?.total ?? 0, names: rows.map((row) => row.name) };
    },
  };
}
