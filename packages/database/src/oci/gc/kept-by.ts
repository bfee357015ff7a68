import { expressionBuilder, sql } from "#kysely";
import type { Expression, Kysely, SqlBool } from "#kysely";
import { KEPT_BY } from "@sealhouse/oci-distribution";
import type { CollectedKind, KeepReason } from "@sealhouse/oci-distribution";
import { param } from "../../statements/kinds.ts";
import type { Values } from "../../statements/kinds.ts";
import type { Parameters } from "../../statements/parameter.ts";
import type { Tables } from "../../statements/tables.ts";

/** The parameters of a decision about what to keep: the limits of a run, and the current time. */
export const LIMITS = { untaggedSince: param.time, unusedSince: param.time, now: param.time };

export type LimitValues = Values<typeof LIMITS>;

/** The columns of the row that may be collected. */
export type CollectedColumns = {
  readonly digest: Expression<string>;
  readonly clocks: Partial<Readonly<Record<CollectedKind, Expression<Date>>>>;
  /** Queries for rows that name the row. */
  readonly namedBy: Partial<Readonly<Record<NamedBy, Expression<unknown>>>>;
};
type NamedBy = Extract<KeepReason, { readonly type: "named" }>["by"];

type Collected = {
  readonly kind: CollectedKind;
  readonly columns: CollectedColumns;
  readonly limits: Parameters<typeof LIMITS>;
};

const eb = expressionBuilder<Tables>();

/** Whether one of the reasons in `KEPT_BY` keeps the row. */
export function isKept(collected: Collected): Expression<SqlBool> {
  return eb.or(reasonsFor(collected));
}

/**
 * Returns the condition that no reason applies. Negates each separately, which gives better query
 * plans.
 */
export function isUnused(collected: Collected): Expression<SqlBool> {
  return eb.and(reasonsFor(collected).map((reason) => eb.not(reason)));
}

/** The holds on a digest that are in force. */
export function holdsOn(
  db: Pick<Kysely<Tables>, "selectFrom">,
  digest: Expression<string>,
  now: Expression<Date>,
) {
  return db
    .selectFrom("oci_holds as h")
    .where("h.digest", "=", digest)
    .where((hold) => hold.or([hold("h.held_until", "is", null), hold("h.held_until", ">", now)]));
}

/** Whether a hold protects a digest. */
export function isHeld(digest: Expression<string>, now: Expression<Date>): Expression<SqlBool> {
  return eb.exists(holdsOn(eb, digest, now).select(sql.lit(1).as("one")));
}

function reasonsFor({ kind, columns, limits }: Collected): readonly Expression<SqlBool>[] {
  return KEPT_BY[kind].map((reason) => {
    switch (reason.type) {
      case "used":
        return eb(requireColumn(columns.clocks, reason.clock), ">=", limits[reason.since]);
      case "held":
        return isHeld(columns.digest, limits.now);
      case "named":
        return eb.exists(requireColumn(columns.namedBy, reason.by));
    }
  });
}

function requireColumn<Key extends string, T>(columns: Partial<Record<Key, T>>, key: Key): T {
  const column = columns[key];
  if (column === undefined) throw new Error(`the statement has no ${key}, which KEPT_BY names`);
  return column;
}
