import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import { OPEN_END } from "./follow-changes.ts";

/** A fact that held at a time. */
export type FactAt = {
  readonly kind: string;
  /** Version or tag; empty for facts of the whole name. */
  readonly item: string;
  readonly value: string;
  readonly from: Date;
  /** Undefined while it holds. */
  readonly until?: Date;
};

/** A name, or with `item` one version or tag of it. */
export type FactsQuery = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly time: Date;
  readonly item?: string | undefined;
};

const NAME_AT = { protocol: param.text(16), name: param.text(255), time: param.time };

const heldAt = (db: Kysely<Tables>, { protocol, name, time }: Parameters<typeof NAME_AT>) =>
  db
    .selectFrom("history")
    .where("protocol", "=", protocol)
    .where("name", "=", name)
    .where("valid_from", "<=", time)
    .where("valid_to", ">", time)
    .select(["kind", "item", "value", "valid_from", "valid_to"]);

const OF_NAME = defineStatement("history-facts", NAME_AT, heldAt);
const OF_ITEM = defineStatement(
  "history-facts-of-item",
  { ...NAME_AT, item: param.text(256) },
  (db, { item, ...parameters }) => heldAt(db, parameters).where("item", "=", item),
);
const FIRST = defineStatement("history-first", {}, (db, _parameters, own) =>
  own.limit(db.selectFrom("history").select("valid_from").orderBy("valid_from"), sql.lit(1)),
);

/** Returns the facts of a name that held at a time. */
export async function factsAt(
  queries: Queries,
  { item, ...ofName }: FactsQuery,
): Promise<readonly FactAt[]> {
  const rows =
    item === undefined
      ? await queries.all(OF_NAME, ofName)
      : await queries.all(OF_ITEM, { ...ofName, item });
  return rows.map(factOf);
}

function factOf(row: RowOf<typeof OF_NAME>): FactAt {
  const { kind, item, value, valid_from: from, valid_to: until } = row;
  const isOpen = until.getTime() === OPEN_END.getTime();
  return { kind, item, value, from, ...(!isOpen && { until }) };
}

/** Milliseconds between two reads of all rows. */
const REREAD_MS = 1_000;

/**
 * Creates a function that returns when the history begins. It remembers the answer while that is
 * early enough for the requested time: the beginning never becomes later, and an import of old
 * versions makes it earlier.
 */
export function createBeginning(
  queries: Queries,
  now: () => Date,
): (time: Date) => Promise<Date | undefined> {
  let last: { readonly first: Date | undefined; readonly readAt: Date } | undefined;
  return async (time) => {
    const isEnough = last?.first !== undefined && last.first <= time;
    const age = last ? now().getTime() - last.readAt.getTime() : REREAD_MS;
    if (last && (isEnough || (last.first && age < REREAD_MS))) return last.first;
    const first = (await queries.one(FIRST, {}))?.valid_from;
    last = { first, readAt: now() };
    return first;
  };
}
