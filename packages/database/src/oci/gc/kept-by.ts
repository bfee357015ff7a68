import { KEPT_BY } from "@sealhouse/oci-distribution";
import type { CollectedKind, KeepReason, UseLimits } from "@sealhouse/oci-distribution";
import type { Parameter } from "../../raw/query-port.ts";

/** A condition, and the value of each `?` in it. Created once, and bound for each call. */
export type Condition = { readonly sql: string; readonly takes: readonly (keyof Values)[] };

export type Values = UseLimits & { readonly now: Date; readonly run?: string };

/** The columns of the row that may be collected. */
export type CollectedColumns = {
  readonly digest: string;
  readonly clocks: Partial<Readonly<Record<CollectedKind, string>>>;
  /** Queries for rows that name the row. */
  readonly namedBy: Partial<Readonly<Record<NamedBy, Condition>>>;
};
type NamedBy = Extract<KeepReason, { readonly type: "named" }>["by"];

/** The parameters of a condition. */
export function fill({ takes }: Condition, values: Values): readonly Parameter[] {
  return takes.map((name) => values[name]);
}

/** Whether one of the reasons in `KEPT_BY` keeps the row. */
export function isKept(kind: CollectedKind, columns: CollectedColumns): Condition {
  return joined(reasonsFor(kind, columns), " or ");
}

/**
 * Returns the condition that no reason applies. Negates each separately, which gives better query
 * plans.
 */
export function isUnused(kind: CollectedKind, columns: CollectedColumns): Condition {
  const negated = reasonsFor(kind, columns).map(({ sql, takes }) => ({ sql: `not ${sql}`, takes }));
  return joined(negated, " and ");
}

/** A hold on a digest, written as an expression; takes the current time. */
export function isHeld(digest: string): string {
  return `exists (select 1 from oci_holds h where h.digest = ${digest}
    and (h.held_until is null or h.held_until > ?))`;
}

function reasonsFor(kind: CollectedKind, columns: CollectedColumns): readonly Condition[] {
  return KEPT_BY[kind].map((reason): Condition => {
    switch (reason.type) {
      case "used":
        return { sql: `(${given(columns.clocks, reason.clock)} >= ?)`, takes: [reason.since] };
      case "held":
        return { sql: isHeld(columns.digest), takes: ["now"] };
      case "named": {
        const { sql, takes } = given(columns.namedBy, reason.by);
        return { sql: `exists (${sql})`, takes };
      }
    }
  });
}

function given<Key extends string, T>(columns: Partial<Record<Key, T>>, key: Key): T {
  const column = columns[key];
  if (column === undefined) throw new Error(`the statement has no ${key}, which KEPT_BY names`);
  return column;
}

function joined(conditions: readonly Condition[], word: string): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(word)})`,
    takes: conditions.flatMap(({ takes }) => takes),
  };
}
