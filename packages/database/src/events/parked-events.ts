import type { ParkedEvent, ParkedEvents, ParkedList } from "@sealhouse/events";
import { UniqueKeyError } from "../raw/query-port.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import {
  EVENT_COLUMNS,
  EVENT_KINDS,
  eventIdOf,
  eventOf,
  eventValues,
  idBefore,
} from "./event-rows.ts";

const CONSUMER = { consumer: param.text(64) };
const ID = { id: param.whole };
const COLUMNS = [
  "id",
  "consumer",
  "event_id",
  ...EVENT_COLUMNS,
  "attempts",
  "next_at",
  "error",
  "parked_at",
] as const;

const INSERT = defineStatement(
  "parked-insert",
  {
    ...CONSUMER,
    ...EVENT_KINDS,
    eventId: param.whole,
    error: param.longText,
    nextAt: param.optional(param.time),
    parkedAt: param.time,
  },
  (db, { eventId, nextAt, parkedAt, ...parameters }) =>
    db.insertInto("parked_events").values((value) => ({
      ...parameters,
      event_id: eventId,
      attempts: value.lit(0),
      next_at: nextAt,
      parked_at: parkedAt,
    })),
);
const WAITING = defineStatement(
  "parked-waiting",
  { ...CONSUMER, limit: param.whole },
  (db, { consumer, limit }, own) =>
    own.limit(
      db
        .selectFrom("parked_events")
        .select(COLUMNS)
        .where("consumer", "=", consumer)
        .where("next_at", "is not", null)
        .orderBy("event_id"),
      limit,
    ),
);
const CLAIM = defineStatement(
  "parked-claim",
  { ...ID, seen: param.whole, nextAt: param.time },
  (db, { id, seen, nextAt }) =>
    db
      .updateTable("parked_events")
      .set((row) => ({ attempts: row("attempts", "+", row.lit(1)), next_at: nextAt }))
      .where("id", "=", id)
      .where("attempts", "=", seen)
      .where("next_at", "is not", null),
);
const FAIL = defineStatement(
  "parked-fail",
  { ...ID, error: param.longText, nextAt: param.optional(param.time) },
  (db, { id, error, nextAt }) =>
    db.updateTable("parked_events").set({ error, next_at: nextAt }).where("id", "=", id),
);
const REMOVE = defineStatement("parked-remove", ID, (db, { id }) =>
  db.deleteFrom("parked_events").where("id", "=", id),
);
const PAGE = { before: param.whole, limit: param.whole };
const LIST = defineStatement("parked-list", PAGE, (db, { before, limit }, own) =>
  own.limit(
    db.selectFrom("parked_events").select(COLUMNS).where("id", "<", before).orderBy("id", "desc"),
    limit,
  ),
);
const DEAD = defineStatement("parked-dead", PAGE, (db, { before, limit }, own) =>
  own.limit(
    db
      .selectFrom("parked_events")
      .select(COLUMNS)
      .where("id", "<", before)
      .where("next_at", "is", null)
      .orderBy("id", "desc"),
    limit,
  ),
);
const REPLAY = defineStatement("parked-replay", { ...ID, at: param.time }, (db, { id, at }) =>
  db
    .updateTable("parked_events")
    .set((row) => ({ attempts: row.lit(0), next_at: at }))
    .where("id", "=", id),
);
const COUNT = defineStatement("parked-count", {}, (db) =>
  db
    .selectFrom("parked_events")
    .select((row) => [
      row.fn.count<number | string>("id").as("all"),
      row.fn.count<number | string>("next_at").as("waiting"),
    ]),
);

/** Events that consumers could not take. Each operation is one statement. */
export function createParkedEvents(queries: Queries, now: () => Date): ParkedEvents & ParkedList {
  return {
    async park(consumer, event, { error, nextAt }) {
      const eventId = eventIdOf(event.id);
      if (eventId === undefined) throw new TypeError(`"${event.id}" is not an event id.`);
      try {
        await queries.run(INSERT, {
          consumer,
          ...eventValues(event),
          eventId,
          error,
          nextAt,
          parkedAt: now(),
        });
      } catch (failure) {
        if (!(failure instanceof UniqueKeyError)) throw failure;
      }
    },
    async waiting(consumer, limit) {
      return (await queries.all(WAITING, { consumer, limit })).map(parkedOf);
    },
    async claim({ id, attempts }, nextAt) {
      return (await queries.run(CLAIM, { id: Number(id), seen: attempts, nextAt })) > 0;
    },
    async fail(id, { error, nextAt }) {
      await queries.run(FAIL, { id: Number(id), error, nextAt });
    },
    async remove(id) {
      const number = eventIdOf(id);
      if (number === undefined) return "absent";
      return (await queries.run(REMOVE, { id: number })) > 0 ? "removed" : "absent";
    },
    async list({ dead, before, limit }) {
      const page = { before: idBefore(before), limit };
      return (await queries.all(dead ? DEAD : LIST, page)).map(parkedOf);
    },
    async replay(id) {
      const number = eventIdOf(id);
      if (number === undefined) return "absent";
      return (await queries.run(REPLAY, { id: number, at: now() })) > 0 ? "replayed" : "absent";
    },
    async count() {
      const row = await queries.one(COUNT, {});
      const waiting = Number(row?.waiting ?? 0);
      return { waiting, dead: Number(row?.all ?? 0) - waiting };
    },
  };
}

function parkedOf(row: RowOf<typeof WAITING>): ParkedEvent {
  return {
    id: String(row.id),
    consumer: row.consumer,
    event: eventOf(row.event_id, row),
    attempts: row.attempts,
    ...(row.next_at && { nextAt: row.next_at }),
    error: row.error,
    parkedAt: row.parked_at,
  };
}
