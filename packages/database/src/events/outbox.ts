import { sql } from "#kysely";
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from "#kysely";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { EventReader, Outbox } from "@sealhouse/events";
import { UniqueKeyError } from "../raw/query-port.ts";
import { param } from "../statements/kinds.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { Parameter } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import { EVENT_COLUMNS, eventIdOf, eventOf } from "./event-rows.ts";

// Progress of consumers. Event ids come from a sequence, so an event of an overlapping transaction
// can appear below a delivered one. A simple "delivered up to" would skip it. Deliveries are
// therefore stored one by one. Only those older than any open transaction are replaced with a
// single position.

const CONSUMER = { consumer: param.text(64) };
const READER = { ...CONSUMER, types: param.optional(param.texts) };
const POSITION = { ...CONSUMER, id: param.whole };

type Consumer = Parameter<string>;
type Types = Parameter<readonly string[] | null | undefined>;
type EventExpressions = ExpressionBuilder<Tables & { e: Tables["events"] }, "e">;

/** A count, because PostgreSQL joins `not exists` without the index while it has no statistics. */
function undelivered(event: EventExpressions, consumer: Consumer): Expression<SqlBool> {
  return event(
    event
      .selectFrom("event_deliveries as d")
      .select((delivery) => delivery.fn.countAll<number>().as("count"))
      .where("d.consumer", "=", consumer)
      .whereRef("d.event_id", "=", "e.id"),
    "=",
    event.lit(0),
  );
}

/** Events above the position of the consumer. */
const unsettled = (db: Kysely<Tables>, consumer: Consumer) =>
  db
    .selectFrom("events as e")
    .where("e.id", ">", (event) =>
      event.fn.coalesce(
        event
          .selectFrom("event_cursors as c")
          .select("c.settled_id")
          .where("c.consumer", "=", consumer),
        event.lit(0),
      ),
    );

/** The statements of consumers that read all events, or those of a list of types. */
function readingStatements(filter: "all" | "types") {
  const isRead = (event: EventExpressions, types: Types, own: Dialect): Expression<SqlBool>[] =>
    filter === "all" ? [] : [event("e.type", "in", own.textsIn(types))];
  const pending = (db: Kysely<Tables>, consumer: Consumer, types: Types, own: Dialect) =>
    unsettled(db, consumer).where((event) =>
      event.and([undelivered(event, consumer), ...isRead(event, types, own)]),
    );
  return {
    pending: defineStatement(
      `outbox-pending-${filter}`,
      { ...READER, limit: param.whole },
      (db, { consumer, types, limit }, own) =>
        own.limit(
          pending(db, consumer, types, own)
            .select(["id", ...EVENT_COLUMNS])
            .orderBy("e.id"),
          limit,
        ),
    ),
    firstPending: defineStatement(
      `outbox-first-pending-${filter}`,
      { ...READER, limit: param.whole },
      (db, { consumer, types, limit }, own) =>
        own.limit(pending(db, consumer, types, own).select("e.id").orderBy("e.id"), limit),
    ),
    firstUnsettled: defineStatement(
      `outbox-first-unsettled-${filter}`,
      { ...READER, before: param.time },
      (db, { consumer, types, before }, own) =>
        unsettled(db, consumer)
          .where((event) =>
            event.or([
              event("e.at", ">", before),
              event.and([undelivered(event, consumer), ...isRead(event, types, own)]),
            ]),
          )
          .select((event) => event.fn.min<number | null>("e.id").as("id")),
    ),
  };
}

const READING = { all: readingStatements("all"), types: readingStatements("types") };

/** Only events that exist and are not yet settled, so that no row is left over. */
const DELIVERED = defineStatement(
  "outbox-delivered",
  { ...CONSUMER, ids: param.wholes },
  (db, { consumer, ids }, own) =>
    db
      .insertInto("event_deliveries")
      .columns(["consumer", "event_id"])
      .expression(
        unsettled(db, consumer)
          .where((event) => undelivered(event, consumer))
          .where("e.id", "in", own.wholesIn(ids))
          .select([sql<string>`${consumer}`.as("consumer"), "e.id"]),
      ),
);
const LAST_EVENT = defineStatement("outbox-last", {}, (db) =>
  db.selectFrom("events").select((event) => event.fn.max<number | null>("id").as("id")),
);
const SETTLE = defineStatement("outbox-settle", POSITION, (db, { consumer, id }) =>
  db
    .updateTable("event_cursors")
    .set({ settled_id: id })
    .where("consumer", "=", consumer)
    .where("settled_id", "<", id),
);
const SETTLE_FIRST = defineStatement("outbox-settle-first", POSITION, (db, { consumer, id }) =>
  db.insertInto("event_cursors").values({ consumer, settled_id: id }),
);
const CURSOR = defineStatement("outbox-cursor", CONSUMER, (db, { consumer }) =>
  db.selectFrom("event_cursors").select("settled_id").where("consumer", "=", consumer),
);
const FORGET = defineStatement("outbox-forget", POSITION, (db, { consumer, id }) =>
  db.deleteFrom("event_deliveries").where("consumer", "=", consumer).where("event_id", "<=", id),
);
const FIRST_EVENT = defineStatement("outbox-first", {}, (db) =>
  db.selectFrom("events").select((event) => event.fn.min<number | null>("id").as("id")),
);
const DELETE = defineStatement("outbox-delete", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("events").where("id", "<=", id),
);
/** Includes the deliveries to consumers that no host has. */
const FORGET_DELETED = defineStatement("outbox-forget-deleted", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("event_deliveries").where("event_id", "<=", id),
);

/** Ids in one statement. */
const IDS_AT_ONCE = 1_000;

/**
 * Longer than any transaction can be open, because of the connection timeouts (raw/postgres.ts).
 */
const SETTLE_AFTER_MS = 10 * 60_000;
const SETTLE_EVERY_MS = 60_000;

export type OutboxOptions = {
  readonly now: () => Date;
  /** Whether events become visible in the order of their ids. */
  readonly inOrder: boolean;
};

export function createOutbox(queries: Queries, { now, inOrder }: OutboxOptions): Outbox {
  const settledAt = new Map<string, number>();
  return {
    async pending(consumer, limit, types) {
      const { pending } = readingOf(types);
      const rows = await queries.all(pending, { consumer, types, limit });
      return rows.map((row) => eventOf(row.id, row));
    },
    async delivered(consumer, ids, types) {
      const reader = { name: consumer, types };
      if (inOrder && (await passedOver(queries, reader, ids))) return;
      await deliver(queries, consumer, ids);
      const time = now().getTime();
      if (ids.length === 0 || time - (settledAt.get(consumer) ?? 0) < SETTLE_EVERY_MS) return;
      settledAt.set(consumer, time);
      await settle(queries, reader, new Date(time - SETTLE_AFTER_MS));
    },
    async trim(readers) {
      const before = new Date(now().getTime() - (inOrder ? 0 : SETTLE_AFTER_MS));
      let settled = Number.POSITIVE_INFINITY;
      for (const reader of readers) {
        await settle(queries, reader, before);
        const cursor = await queries.one(CURSOR, { consumer: reader.name });
        settled = Math.min(settled, cursor?.settled_id ?? 0);
      }
      return Number.isFinite(settled) ? deleteUpTo(queries, settled) : 0;
    },
  };
}

function readingOf(types: EventReader["types"]) {
  return types === undefined ? READING.all : READING.types;
}

async function deleteUpTo(queries: Queries, last: number): Promise<number> {
  const first = (await queries.one(FIRST_EVENT, {}))?.id ?? undefined;
  if (first === undefined) return 0;
  let deleted = 0;
  for (let id = first - 1; id < last;) {
    id = Math.min(id + IDS_AT_ONCE, last);
    deleted += await queries.run(DELETE, { id });
    await yieldToEventLoop();
  }
  await queries.run(FORGET_DELETED, { id: last });
  return deleted;
}

/**
 * Moves the position past delivered events when nothing before them is pending. A batch then needs
 * one write, and the next query skips them.
 */
async function passedOver(
  queries: Queries,
  { name: consumer, types }: EventReader,
  ids: readonly string[],
): Promise<boolean> {
  const { firstPending } = readingOf(types);
  const first = await queries.all(firstPending, { consumer, types, limit: ids.length });
  const last = first.at(-1);
  if (!last || first.length !== ids.length) return false;
  if (first.some(({ id }, index) => String(id) !== ids[index])) return false;
  await raiseMark(queries, consumer, last.id);
  return true;
}

/** Marks one by one what another instance marks at the same time. */
async function deliver(queries: Queries, consumer: string, ids: readonly string[]): Promise<void> {
  const eventIds = ids.map(eventIdOf).filter((id) => id !== undefined);
  if (eventIds.length === 0) return;
  try {
    await queries.run(DELIVERED, { consumer, ids: eventIds });
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
    if (ids.length > 1) for (const id of ids) await deliver(queries, consumer, [id]);
  }
}

/**
 * Moves the position up to the last event below which all are older than `before`, and delivered or
 * of other types.
 */
async function settle(
  queries: Queries,
  { name: consumer, types }: EventReader,
  before: Date,
): Promise<void> {
  // Read first: an event that commits in between is above it.
  const last = (await queries.one(LAST_EVENT, {}))?.id ?? 0;
  const { firstUnsettled } = readingOf(types);
  const row = await queries.one(firstUnsettled, { consumer, types, before });
  const first = row?.id ?? undefined;
  const settled = first === undefined ? last : Math.min(first - 1, last);
  if (settled <= 0) return;
  await raiseMark(queries, consumer, settled);
  await queries.run(FORGET, { consumer, id: settled });
}

async function raiseMark(queries: Queries, consumer: string, settled: number): Promise<void> {
  const position = { consumer, id: settled };
  if (await queries.one(CURSOR, { consumer })) await queries.run(SETTLE, position);
  else await ignoreTaken(queries.run(SETTLE_FIRST, position));
}

async function ignoreTaken(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
  }
}
