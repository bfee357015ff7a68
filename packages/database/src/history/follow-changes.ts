import { sql } from "#kysely";
import type { Expression, ExpressionBuilder } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import { FACT_KINDS, currentState } from "./current-state.ts";
import type { StateFilter } from "./current-state.ts";

/** The end of every interval that is open. */
export const OPEN_END = new Date("9999-12-31T00:00:00.000Z");

const NAMES = {
  now: param.time,
  open: param.time,
  name: param.text(255),
  /** The same name, as a list. */
  names: param.texts,
};
const ITEMS = { ...NAMES, items: param.texts };

/** The name is compared as such, so that each database looks it up in the index. */
type Facts = {
  readonly now: Expression<Date>;
  readonly open: Expression<Date>;
  readonly name: Expression<string>;
};
type OfHistory = ExpressionBuilder<Tables, "history">;

/** Whether the row of `history` is an open interval of a fact that no longer holds. */
function isOutdated(own: Dialect, protocol: Protocol, filter: StateFilter, { open, name }: Facts) {
  return (row: OfHistory) =>
    row.and([
      row("protocol", "=", sql.lit(protocol)),
      row("name", "=", name),
      // Without the kind, a database reads the index of all facts of the name.
      row(
        "kind",
        "in",
        FACT_KINDS[protocol].map((kind) => sql.lit(kind)),
      ),
      ...(filter.items ? [own.isIn(row.ref("item"), filter.items)] : []),
      row("valid_to", "=", open),
      row.not(
        row.exists(
          own.db
            .selectFrom(currentState(own, protocol, filter))
            .select("c.name")
            .whereRef("c.name", "=", sql.ref("history.name"))
            .whereRef("c.kind", "=", sql.ref("history.kind"))
            .whereRef("c.item", "=", sql.ref("history.item"))
            .whereRef("c.value", "=", sql.ref("history.value")),
        ),
      ),
    ]);
}

/**
 * Open intervals of facts that no longer hold. A plain read: MySQL locks the rows of every table
 * that a change reads, so that a change with this condition would wait for other pushes.
 */
const outdated = (own: Dialect, protocol: Protocol, filter: StateFilter, facts: Facts) =>
  own.db
    .selectFrom("history")
    .where(isOutdated(own, protocol, filter, facts))
    .select(["id", "valid_from"]);

const IDS = { ids: param.wholes };
/** Intervals that would end when they begin: no reader has seen them. */
const REMOVE = defineStatement("history-remove", IDS, (db, { ids }, own) =>
  own.byList(db.deleteFrom("history").where("id", "in", own.wholesIn(ids))),
);
const END = defineStatement("history-end", { ...IDS, now: param.time }, (db, { ids, now }, own) =>
  own.byList(db.updateTable("history").set({ valid_to: now }).where("id", "in", own.wholesIn(ids))),
);

/**
 * Begins the intervals of facts that have none. Intervals are counted and not joined: for a join,
 * PostgreSQL reads the history of all names while it has no statistics. The first interval of a
 * fact begins when the fact came to be, as far as the state tells; later ones begin now.
 */
const begin = (own: Dialect, protocol: Protocol, filter: StateFilter, { now, open }: Facts) =>
  own.db
    .insertInto("history")
    .columns(["protocol", "name", "kind", "item", "value", "valid_from", "valid_to"])
    .expression(
      own.db
        .selectFrom(currentState(own, protocol, filter))
        .select([sql.lit(protocol).as("protocol"), "c.name", "c.kind", "c.item", "c.value"])
        .select((fact) => [
          fact
            .case()
            .when(
              fact.or([
                fact("c.since", "is", null),
                fact("c.since", ">", now),
                fact(
                  fact
                    .selectFrom("history as h")
                    .where("h.protocol", "=", sql.lit(protocol))
                    .whereRef("h.name", "=", "c.name")
                    .whereRef("h.kind", "=", "c.kind")
                    .whereRef("h.item", "=", "c.item")
                    .select(({ fn }) => fn.countAll<number>().as("intervals")),
                  ">",
                  sql.lit(0),
                ),
              ]),
            )
            .then(now)
            .else(fact.ref("c.since"))
            .end()
            .as("valid_from"),
          sql<Date>`${open}`.as("valid_to"),
        ])
        .where((fact) =>
          fact(
            fact
              .selectFrom("history as o")
              .where("o.protocol", "=", sql.lit(protocol))
              .whereRef("o.name", "=", "c.name")
              .whereRef("o.kind", "=", "c.kind")
              .whereRef("o.item", "=", "c.item")
              .where("o.valid_to", "=", open)
              .select(({ fn }) => fn.countAll<number>().as("intervals")),
            "=",
            sql.lit(0),
          ),
        ),
    );

const statementsOf = (protocol: Protocol) => ({
  outdated: {
    ofItems: defineStatement(
      `history-${protocol}-outdated`,
      ITEMS,
      (_db, { names, items, ...facts }, own) => outdated(own, protocol, { names, items }, facts),
    ),
    ofNames: defineStatement(
      `history-${protocol}-outdated-names`,
      NAMES,
      (_db, { names, ...facts }, own) => outdated(own, protocol, { names }, facts),
    ),
  },
  begin: {
    ofItems: defineStatement(
      `history-${protocol}-begin`,
      ITEMS,
      (_db, { names, items, ...facts }, own) => begin(own, protocol, { names, items }, facts),
    ),
    ofNames: defineStatement(
      `history-${protocol}-begin-names`,
      NAMES,
      (_db, { names, ...facts }, own) => begin(own, protocol, { names }, facts),
    ),
  },
});

const STATEMENTS = {
  nuget: statementsOf("nuget"),
  npm: statementsOf("npm"),
  oci: statementsOf("oci"),
} as const;

/** Names of a protocol whose state has changed, and the changed versions and tags of them. */
export type ChangedNames = {
  readonly protocol: Protocol;
  readonly names: readonly string[];
  /** Versions and tags; an empty text means facts of the whole name. Undefined: all. */
  readonly items?: readonly string[];
};

/**
 * Ends the intervals of facts that no longer hold and begins those of new facts, in the
 * transaction that changed the state. Returns the number of intervals that changed.
 */
export async function followChanges(
  queries: Queries,
  { names, isNew, ...changed }: FollowedNames,
  now: Date,
): Promise<number> {
  let changes = 0;
  for (const name of names) {
    const followed = { ...changed, name, isNew: isNew(changed.protocol, name) };
    changes += await followName(queries, followed, now);
  }
  return changes;
}

/** `isNew`: whether a name has no history yet. */
type FollowedNames = ChangedNames & {
  readonly isNew: (protocol: Protocol, name: string) => boolean;
};

type ChangedName = Pick<ChangedNames, "protocol" | "items"> & {
  readonly name: string;
  readonly isNew: boolean;
};

async function followName(
  queries: Queries,
  { protocol, name, items, isNew }: ChangedName,
  now: Date,
): Promise<number> {
  const statements = STATEMENTS[protocol];
  const ofNames = { name, names: [name], now, open: OPEN_END };
  const readOutdated = () =>
    items
      ? queries.all(statements.outdated.ofItems, { ...ofNames, items })
      : queries.all(statements.outdated.ofNames, ofNames);
  const intervals = isNew ? [] : await readOutdated();
  const empty = intervals.filter((interval) => interval.valid_from >= now).map(({ id }) => id);
  const ended = intervals.filter((interval) => interval.valid_from < now).map(({ id }) => id);
  if (empty.length > 0) await queries.run(REMOVE, { ids: empty });
  if (ended.length > 0) await queries.run(END, { ids: ended, now });
  const begun = items
    ? await queries.run(statements.begin.ofItems, { ...ofNames, items })
    : await queries.run(statements.begin.ofNames, ofNames);
  return intervals.length + begun;
}
