import type { Expression, Kysely } from "#kysely";
import type { NpmDependents } from "@sealhouse/npm-protocol";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Tables } from "../statements/tables.ts";
import {
  HIDDEN_NAMES,
  hiddenParameters,
  hiddenValues,
  isHidden,
} from "../visibility/hidden-names.ts";
import { NAME_PATTERNS, nameMatches, namePatterns } from "./name-limit.ts";

const NAME = { name: param.text(214) };
const LIMITS = { ...NAME_PATTERNS, ...HIDDEN_NAMES };
const PAGE = { skip: param.whole, take: param.whole };

const dependentsOf = (db: Kysely<Tables>, name: Expression<string>) =>
  db
    .selectFrom("npm_dependencies as d")
    .innerJoin("npm_packages as p", "p.id", "d.package_id")
    .where("d.dependency_name", "=", name);

type Limits = { readonly names: boolean; readonly hidden: boolean };

/** The statements with the limits that a caller has. */
function declared({ names, hidden }: Limits) {
  const letters = `${names ? "-limited" : ""}${hidden ? "-hidden" : ""}`;
  const kinds = { ...NAME, ...LIMITS };
  const visible = (db: Kysely<Tables>, parameters: Parameters<typeof kinds>, own: Dialect) => {
    let rows = dependentsOf(db, parameters.name);
    if (names) rows = rows.where((row) => nameMatches(row.ref("p.name"), parameters, own));
    if (!hidden) return rows;
    const lists = hiddenParameters(parameters, own);
    return rows.where((row) => row.not(isHidden("npm", row.ref("p.name"), lists)));
  };
  const count = defineStatement(`npm-dependents${letters}-count`, kinds, (db, parameters, own) =>
    visible(db, parameters, own).select(({ fn }) => fn.countAll<number>().as("total")),
  );
  const page = defineStatement(
    `npm-dependents${letters}`,
    { ...kinds, ...PAGE },
    (db, parameters, own) =>
      own.page(visible(db, parameters, own).select("p.name").orderBy("p.name"), parameters),
  );
  return { count, page };
}

const STATEMENTS = [false, true].flatMap((names) =>
  [false, true].map((hidden) => ({ names, hidden, ...declared({ names, hidden }) })),
);

export function createNpmDependents({ queries }: Pick<PortContext, "queries">): NpmDependents {
  return {
    async dependents(dependency, { from: skip, size: take, names, hidden }) {
      const statements = STATEMENTS.find(
        (one) => one.names === (names !== undefined) && one.hidden === (hidden !== undefined),
      );
      if (!statements) throw new Error("each limit has its statements");
      const values = {
        name: dependency.toLowerCase(),
        ...namePatterns(names ?? []),
        ...hiddenValues(hidden),
      };
      const count = await queries.one(statements.count, values);
      const rows = await queries.all(statements.page, { ...values, skip, take });
      return { total: count?.total ?? 0, names: rows.map((row) => row.name) };
    },
  };
}
