import { nameFormsOf } from "@sealhouse/npm-protocol";
import type { NameForm, NameLimit } from "@sealhouse/npm-protocol";
import type { DatabaseConfig } from "../connection-string.ts";
import { escapeLike } from "../raw/like.ts";

export type Condition = { readonly sql: string; readonly parameters: readonly string[] };

/**
 * Returns a condition that the patterns match `p.name`; no condition when all names are allowed.
 */
export function nameLimit(
  type: DatabaseConfig["type"],
  { names }: NameLimit,
): readonly Condition[] {
  if (names === undefined) return [];
  const forms = nameFormsOf(names);
  const scoped = anyOf(
    type,
    forms.filter(({ isScoped }) => isScoped),
  );
  const unscoped = anyOf(
    type,
    forms.filter(({ isScoped }) => !isScoped),
  );
  const sql = `(${scoped.sql} or (p.name not like '%/%' and ${unscoped.sql}))`;
  return [{ sql, parameters: [...scoped.parameters, ...unscoped.parameters] }];
}

function anyOf(type: DatabaseConfig["type"], forms: readonly NameForm[]): Condition {
  const { operator, wild, escape } = SPELLINGS[type];
  if (forms.length === 0) return { sql: "1 = 0", parameters: [] };
  return {
    sql: `(${forms.map(() => `p.name ${operator}`).join(" or ")})`,
    parameters: forms.map(({ parts }) => parts.map(escape).join(wild)),
  };
}

type Spelling = {
  readonly operator: string;
  readonly wild: string;
  readonly escape: (text: string) => string;
};

const LIKE: Spelling = { operator: "like ? escape '!'", wild: "%", escape: escapeLike };

/**
 * Matching is case-sensitive. SQLite's `like` ignores case; the other databases follow the column.
 */
const SPELLINGS: Readonly<Record<DatabaseConfig["type"], Spelling>> = {
  Sqlite: {
    operator: "glob ?",
    wild: "*",
    escape: (text) => text.replaceAll(/[*?[]/g, (sign) => `[${sign}]`),
  },
  PostgreSQL: LIKE,
  MySql: LIKE,
};
