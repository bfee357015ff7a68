import { createHash } from "node:crypto";
import { sql } from "#kysely";
import type { DeliveryLog, DeliveryQueue, EventType, WebhookDelivery } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { batches } from "../raw/batches.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { eventIdOf, idBefore } from "./event-rows.ts";

const WEBHOOK = { webhookId: param.text(NAME_LENGTH.webhookId) };
const ID = { id: param.whole };
const COLUMNS = [
  "id",
  "webhook_id",
  "event_id",
  "type",
  "subject",
  "names",
  "body",
  "state",
  "attempts",
  "next_at",
  "log",
  "created_at",
  "done_at",
] as const;
/** Rows in one statement. */
const ROWS_AT_ONCE = 200;
const TRIMMED_AT_ONCE = 500;

/** Leaves out what the queue has. */
const ADD = defineStatement(
  "deliveries-add",
  { deliveries: param.records, at: param.time },
  (db, { deliveries, at }, own) =>
    db
      .insertInto("webhook_deliveries")
      .columns([
        "webhook_id",
        "event_id",
        "type",
        "subject",
        "names",
        "order_key",
        "body",
        "state",
        "attempts",
        "log",
        "next_at",
        "created_at",
      ])
      .expression(
        db
          .selectFrom(
            own
              .records(deliveries, {
                webhook: "text",
                event: "whole",
                type: "text",
                subject: "text",
                names: "text",
                key: "text",
                body: "text",
              })
              .as("n"),
          )
          .where((row) =>
            row.not(
              row.exists(
                row
                  .selectFrom("webhook_deliveries as d")
                  .select("d.id")
                  .whereRef("d.webhook_id", "=", "n.webhook")
                  .whereRef("d.event_id", "=", "n.event"),
              ),
            ),
          )
          .select((row) => [
            "n.webhook",
            "n.event",
            "n.type",
            "n.subject",
            "n.names",
            "n.key",
            "n.body",
            sql.lit("waiting").as("state"),
            row.lit(0).as("attempts"),
            sql.lit("[]").as("log"),
            sql<Date>`${at}`.as("next_at"),
            sql<Date>`${at}`.as("created_at"),
          ]),
      ),
);
const DUE_WEBHOOKS = defineStatement("webhooks-due", { now: param.time }, (db, { now }, own) =>
  db
    .selectFrom("webhooks as w")
    .where("w.enabled", "=", own.yes)
    .where((row) =>
      row.exists(
        row
          .selectFrom("webhook_deliveries as d")
          .select("d.id")
          .whereRef("d.webhook_id", "=", "w.id")
          .where("d.state", "=", sql.lit("waiting"))
          .where("d.next_at", "<=", now),
      ),
    )
    .select("w.id"),
);
const DUE = defineStatement(
  "deliveries-due",
  { ...WEBHOOK, now: param.time, limit: param.whole },
  (db, { webhookId, now, limit }, own) =>
    own.limit(
      db
        .selectFrom("webhook_deliveries as d")
        .where("d.webhook_id", "=", webhookId)
        .where("d.state", "=", sql.lit("waiting"))
        .where("d.next_at", "<=", now)
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom("webhook_deliveries as e")
                .select("e.id")
                .whereRef("e.webhook_id", "=", "d.webhook_id")
                .whereRef("e.order_key", "=", "d.order_key")
                .whereRef("e.event_id", "<", "d.event_id")
                .where("e.state", "=", sql.lit("waiting"))
                .where("e.next_at", ">", now),
            ),
          ),
        )
        .orderBy("d.event_id")
        .select(COLUMNS),
      limit,
    ),
);
const SETTLE = defineStatement(
  "delivery-settle",
  {
    ...ID,
    state: param.text(16),
    attempts: param.whole,
    nextAt: param.optional(param.time),
    log: param.longText,
    doneAt: param.optional(param.time),
  },
  (db, { id, nextAt, doneAt, ...values }) =>
    db
      .updateTable("webhook_deliveries")
      .set({ ...values, next_at: nextAt, done_at: doneAt })
      .where("id", "=", id),
);
/** Most attempts succeed: one statement for all. */
const SETTLE_DELIVERED = defineStatement(
  "deliveries-settle",
  { ids: param.wholes, results: param.records, at: param.time },
  (db, { ids, results, at }, own) =>
    own.byList(
      db
        .updateTable("webhook_deliveries")
        .set((row) => ({
          state: sql.lit("delivered"),
          attempts: row("attempts", "+", row.lit(1)),
          next_at: null,
          done_at: at,
          log: row
            .selectFrom(own.records(results, { id: "whole", log: "text" }).as("r"))
            .whereRef("r.id", "=", "webhook_deliveries.id")
            .select("r.log")
            .$castTo<string>(),
        }))
        .where("id", "in", own.wholesIn(ids)),
    ),
);
const OLDEST = defineStatement("deliveries-oldest", { limit: param.whole }, (db, { limit }, own) =>
  own.limit(db.selectFrom("webhook_deliveries").select(["id", "created_at"]).orderBy("id"), limit),
);
const WEBHOOKS_OF = defineStatement(
  "deliveries-webhooks",
  { state: param.text(16) },
  (db, { state }) =>
    db
      .selectFrom("webhook_deliveries")
      .where("state", "=", state)
      .select("webhook_id")
      .groupBy("webhook_id"),
);
/** Ended deliveries of a subscription beyond the newest ones. */
const BEYOND = defineStatement(
  "deliveries-beyond",
  { ...WEBHOOK, state: param.text(16), skip: param.whole, take: param.whole },
  (db, { webhookId, state, skip, take }, own) =>
    own.page(
      db
        .selectFrom("webhook_deliveries")
        .where("webhook_id", "=", webhookId)
        .where("state", "=", state)
        .select("id")
        .orderBy("event_id", "desc"),
      { skip, take },
    ),
);
const DELETE = defineStatement("deliveries-delete", { ids: param.wholes }, (db, { ids }, own) =>
  own.byList(db.deleteFrom("webhook_deliveries").where("id", "in", own.wholesIn(ids))),
);
const REPLAY = defineStatement("delivery-replay", { ...ID, at: param.time }, (db, { id, at }) =>
  db
    .updateTable("webhook_deliveries")
    .set((row) => ({ state: sql.lit("waiting"), attempts: row.lit(0), next_at: at, done_at: null }))
    .where("id", "=", id),
);
const REPLAY_DEAD = defineStatement(
  "deliveries-replay-dead",
  { ...WEBHOOK, at: param.time },
  (db, { webhookId, at }) =>
    db
      .updateTable("webhook_deliveries")
      .set((row) => ({
        state: sql.lit("waiting"),
        attempts: row.lit(0),
        next_at: at,
        done_at: null,
      }))
      .where("webhook_id", "=", webhookId)
      .where("state", "=", sql.lit("dead")),
);
const COUNT = defineStatement("deliveries-count", { since: param.time }, (db, { since }) =>
  db
    .selectFrom("webhook_deliveries")
    .where((row) =>
      row.or([
        row("state", "=", sql.lit("waiting")),
        row.and([row("state", "=", sql.lit("dead")), row("done_at", ">=", since)]),
      ]),
    )
    .groupBy("state")
    .select((row) => ["state", row.fn.countAll<number | string>().as("deliveries")]),
);

type Filter = "webhook" | "state";
const lists = new Map<string, ReturnType<typeof listOf>>();

function listOf(filters: readonly Filter[]) {
  return defineStatement(
    ["deliveries-list", ...filters].join("-"),
    { ...WEBHOOK, state: param.text(16), before: param.whole, limit: param.whole },
    (db, { webhookId, state, before, limit }, own) => {
      let query = db
        .selectFrom("webhook_deliveries")
        .select(COLUMNS)
        .where("id", "<", before)
        .orderBy("id", "desc");
      if (filters.includes("webhook")) query = query.where("webhook_id", "=", webhookId);
      if (filters.includes("state")) query = query.where("state", "=", state);
      return own.limit(query, limit);
    },
  );
}
for (const filters of [[], ["webhook"], ["state"], ["webhook", "state"]] as const) {
  lists.set(filters.join(), listOf(filters));
}

/** Queues and log of webhook deliveries. */
export function createWebhookDeliveries({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): DeliveryQueue & DeliveryLog {
  const { now, transaction } = changes;
  return {
    add: (deliveries) =>
      transaction(async (unit) => {
        const rows = deliveries.map(({ webhookId: webhook, eventId, names, ...delivery }) => {
          const key = createHash("sha256").update(delivery.subject).digest("hex");
          const event = Number(eventId);
          return { ...delivery, webhook, event, names: JSON.stringify(names), key };
        });
        for (const some of batches(rows, ROWS_AT_ONCE)) {
          await unit.queries.run(ADD, { deliveries: some, at: now() });
        }
      }),
    dueWebhooks: async (time) =>
      (await queries.all(DUE_WEBHOOKS, { now: time })).map(({ id }) => id),
    due: async (webhookId, time, limit) =>
      (await queries.all(DUE, { webhookId, now: time, limit })).map(deliveryOf),
    settle: (results) =>
      transaction(async (unit) => {
        const delivered = results.filter(({ state }) => state === "delivered");
        if (delivered.length > 0) {
          const rows = delivered.map(({ id, log }) => ({
            id: Number(id),
            log: JSON.stringify(log),
          }));
          const ids = rows.map(({ id }) => id);
          await unit.queries.run(SETTLE_DELIVERED, { ids, results: rows, at: now() });
        }
        const others = results.filter(({ state }) => state !== "delivered");
        for (const { id, state, attempts, nextAt, log } of others) {
          const doneAt = state === "waiting" ? undefined : now();
          const values = { state, attempts, nextAt, log: JSON.stringify(log), doneAt };
          await unit.queries.run(SETTLE, { id: Number(id), ...values });
        }
      }),
    ...trimming(queries),
    async list({ webhookId, state, before, limit }) {
      const filters = [webhookId && "webhook", state && "state"].filter(Boolean);
      const statement = lists.get(filters.join());
      if (!statement) throw new TypeError("unknown filter");
      const values = { webhookId: webhookId ?? "", state: state ?? "", limit };
      const rows = await queries.all(statement, { ...values, before: idBefore(before) });
      return rows.map(deliveryOf);
    },
    async replay(id) {
      const number = eventIdOf(id);
      if (number === undefined) return "absent";
      return (await queries.run(REPLAY, { id: number, at: now() })) > 0 ? "replayed" : "absent";
    },
    replayDead: (webhookId) => queries.run(REPLAY_DEAD, { webhookId, at: now() }),
    async count(since) {
      const rows = await queries.all(COUNT, { since });
      const of = (state: string) =>
        Number(rows.find((row) => row.state === state)?.deliveries ?? 0);
      return { waiting: of("waiting"), dead: of("dead") };
    },
  };
}

function trimming(queries: PortContext["queries"]): Pick<DeliveryQueue, "trim" | "trimTo"> {
  return {
    async trim(before) {
      const oldest = await queries.all(OLDEST, { limit: TRIMMED_AT_ONCE });
      const ids = oldest.filter((row) => row.created_at < before).map(({ id }) => id);
      return ids.length === 0 ? 0 : queries.run(DELETE, { ids });
    },
    async trimTo(state, newest) {
      let deleted = 0;
      for (const { webhook_id: webhookId } of await queries.all(WEBHOOKS_OF, { state })) {
        const page = { skip: newest, take: TRIMMED_AT_ONCE };
        const ids = (await queries.all(BEYOND, { webhookId, state, ...page })).map(({ id }) => id);
        if (ids.length > 0) deleted += await queries.run(DELETE, { ids });
      }
      return deleted;
    },
  };
}

function deliveryOf(row: RowOf<typeof DUE>): WebhookDelivery {
  return {
    id: String(row.id),
    webhookId: row.webhook_id,
    eventId: String(row.event_id),
    type: row.type as EventType,
    subject: row.subject,
    names: JSON.parse(row.names) as WebhookDelivery["names"],
    body: row.body,
    state: row.state as WebhookDelivery["state"],
    attempts: row.attempts,
    ...(row.next_at && { nextAt: row.next_at }),
    log: JSON.parse(row.log) as WebhookDelivery["log"],
    createdAt: row.created_at,
    ...(row.done_at && { doneAt: row.done_at }),
  };
}
