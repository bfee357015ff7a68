import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Outbox } from "@sealhouse/events";
import { UniqueKeyError } from "../raw/query-port.ts";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import { EVENT_COLUMNS, eventIdOf, eventOf } from "./event-rows.ts";

// How progress is kept. Ids come from a sequence, so where transactions overlap an event can appear
// below one that was delivered already; a mere "delivered up to" would pass it over. Deliveries are
// therefore kept one by one, and only what is older than any transaction can be is settled by a
// mark, whose deliveries are then forgotten. Where transactions never overlap (SQLite), the mark
// alone is enough, unless somebody delivers out of order.

const SETTLED = "coalesce((select settled_id from event_cursors where consumer = ?), 0)";
const UNDELIVERED = `not exists (select 1 from event_deliveries d
  where d.consumer = ? and d.event_id = e.id)`;

const PENDING: Statement = {
  name: "outbox-pending",
  sql: `select id, ${EVENT_COLUMNS} from events e
    where e.id > ${SETTLED} and ${UNDELIVERED} order by e.id limit ?`,
};
/** Only of events that exist and are not settled, so that nothing is left behind. */
const DELIVERED: Statement = {
  name: "outbox-delivered",
  sql: `insert into event_deliveries (consumer, event_id)
    select cast(? as varchar(64)), e.id from events e
    where e.id = ? and e.id > ${SETTLED} and ${UNDELIVERED}`,
};
const FIRST_PENDING: Statement = {
  name: "outbox-first-pending",
  sql: `select id from events e
    where e.id > ${SETTLED} and ${UNDELIVERED} order by e.id limit ?`,
};
const FIRST_UNSETTLED: Statement = {
  name: "outbox-first-unsettled",
  sql: `select min(e.id) as id from events e
    where e.id > ${SETTLED} and (e.at > ? or ${UNDELIVERED})`,
};
const LAST_DELIVERY: Statement = {
  name: "outbox-last-delivery",
  sql: "select max(event_id) as id from event_deliveries where consumer = ?",
};
const SETTLE: Statement = {
  name: "outbox-settle",
  sql: "update event_cursors set settled_id = ? where consumer = ? and settled_id < ?",
};
const SETTLE_FIRST: Statement = {
  name: "outbox-settle-first",
  sql: "insert into event_cursors (consumer, settled_id) values (?, ?)",
};
const HAS_CURSOR: Statement = {
  name: "outbox-cursor",
  sql: "select settled_id from event_cursors where consumer = ?",
};
const FORGET: Statement = {
  name: "outbox-forget",
  sql: "delete from event_deliveries where consumer = ? and event_id <= ?",
};

const FIRST_EVENT: Statement = { name: "outbox-first", sql: "select min(id) as id from events" };
const DELETE: Statement = { name: "outbox-delete", sql: "delete from events where id <= ?" };
/** Ids in one statement. */
const IDS_AT_ONCE = 1_000;

/** No transaction stays open this long: the connections' time-outs (raw/postgres.ts) see to it. */
const SETTLE_AFTER_MS = 10 * 60_000;
const SETTLE_EVERY_MS = 60_000;

export type OutboxOptions = {
  readonly now: () => Date;
  /** Whether events become visible in the order of their ids. */
  readonly inOrder: boolean;
};

export function createOutbox(port: QueryPort, { now, inOrder }: OutboxOptions): Outbox {
  const settledAt = new Map<string, number>();
  return {
    async pending(consumer, limit) {
      const rows = await port.all(PENDING, [consumer, consumer, limit]);
      return rows.map((row) => eventOf(row, "id"));
    },
    async delivered(consumer, ids) {
      if (inOrder && (await passedOver(port, consumer, ids))) return;
      for (const id of ids) await deliver(port, consumer, id);
      const time = now().getTime();
      if (ids.length === 0 || time - (settledAt.get(consumer) ?? 0) < SETTLE_EVERY_MS) return;
      settledAt.set(consumer, time);
      await settle(port, consumer, new Date(time - SETTLE_AFTER_MS));
    },
    async trim(consumers) {
      const before = new Date(now().getTime() - (inOrder ? 0 : SETTLE_AFTER_MS));
      let settled = Number.POSITIVE_INFINITY;
      for (const consumer of consumers) {
        await settle(port, consumer, before);
        const row = await port.one(HAS_CURSOR, [consumer]);
        settled = Math.min(settled, row ? numberOf(row, "settled_id") : 0);
      }
      return Number.isFinite(settled) ? deleteUpTo(port, settled) : 0;
    },
  };
}

async function deleteUpTo(port: QueryPort, last: number): Promise<number> {
  const row = await port.one(FIRST_EVENT, []);
  if (!row || row["id"] === null) return 0;
  let deleted = 0;
  for (let id = numberOf(row, "id") - 1; id < last;) {
    id = Math.min(id + IDS_AT_ONCE, last);
    deleted += await port.run(DELETE, [id]);
    await yieldToEventLoop();
  }
  return deleted;
}

/** Moves the mark over what was delivered when nothing before it is pending: one write for a batch,
 * and the next question does not have to go through what is done. */
async function passedOver(
  port: QueryPort,
  consumer: string,
  ids: readonly string[],
): Promise<boolean> {
  const first = await port.all(FIRST_PENDING, [consumer, consumer, ids.length]);
  const last = first.at(-1);
  if (!last || first.length !== ids.length) return false;
  if (first.some((row, index) => String(numberOf(row, "id")) !== ids[index])) return false;
  await raiseMark(port, consumer, numberOf(last, "id"));
  return true;
}

async function deliver(port: QueryPort, consumer: string, id: string): Promise<void> {
  const eventId = eventIdOf(id);
  if (eventId === undefined) return;
  await ignoreTaken(port.run(DELIVERED, [consumer, eventId, consumer, consumer]));
}

/** Moves the mark up to the last event below which all are delivered and older than `before`. */
async function settle(port: QueryPort, consumer: string, before: Date): Promise<void> {
  const unsettled = await port.one(FIRST_UNSETTLED, [consumer, before, consumer]);
  const mark = unsettled && unsettled["id"] !== null ? numberOf(unsettled, "id") - 1 : undefined;
  const last = mark === undefined ? await port.one(LAST_DELIVERY, [consumer]) : undefined;
  const settled = mark ?? (last && last["id"] !== null ? numberOf(last, "id") : 0);
  if (settled <= 0) return;
  await raiseMark(port, consumer, settled);
  await port.run(FORGET, [consumer, settled]);
}

async function raiseMark(port: QueryPort, consumer: string, settled: number): Promise<void> {
  if (await port.one(HAS_CURSOR, [consumer])) await port.run(SETTLE, [settled, consumer, settled]);
  else await ignoreTaken(port.run(SETTLE_FIRST, [consumer, settled]));
}

async function ignoreTaken(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
  }
}
