import { sql } from "#kysely";
import type { RawBuilder, SqlBool } from "#kysely";

/** A condition of a search. */
export type Condition = RawBuilder<SqlBool>;

/** A condition that holds always. */
export const always: Condition = sql<SqlBool>`1 = 1`;
export const never: Condition = sql<SqlBool>`1 = 0`;

/** Holds when all of the conditions do. */
export function allOf(conditions: readonly Condition[]): Condition {
  const realConditions = conditions.filter((condition) => condition !== always);
  const [first = always, ...others] = realConditions;
  return others.length === 0 ? first : joined(realConditions, " and ");
}

/** Holds when one of the conditions does. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const [first = never, ...others] = conditions;
  return others.length === 0 ? first : joined(conditions, " or ");
}

export function not(condition: Condition): Condition {
  return sql<SqlBool>`not (${condition})`;
}

/**
 * Values in parentheses, each after its text. A search has hundreds of them; `sql.join` would make
 * several nodes for each.
 */
export function interleaved(texts: readonly string[], values: readonly unknown[]): Condition {
  const strings = texts.map((text, index) => (index === 0 ? `(${text}` : text));
  const all = [...strings, ")"];
  return sql<SqlBool>(Object.assign(all, { raw: all }), ...values);
}

function joined(conditions: readonly Condition[], separator: string): Condition {
  const texts = conditions.map((_, index) => (index === 0 ? "" : separator));
  return interleaved(texts, conditions);
}
