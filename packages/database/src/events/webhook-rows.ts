import type { NewEvent, WebhookRow, WebhookRows } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const ID = { id: param.text(NAME_LENGTH.webhookId) };

const ALL = defineStatement("webhooks", {}, (db) =>
  db
    .selectFrom("webhooks")
    .select([
      "id",
      "url",
      "events",
      "format",
      "origin",
      "enabled",
      "includes",
      "reaches",
      "reason",
      "secret",
      "former_secret",
      "former_ends_at",
      "created_at",
    ])
    .orderBy("created_at")
    .orderBy("id"),
);
const PUT = defineStatement(
  "webhook-put",
  {
    ...ID,
    url: param.longText,
    events: param.longText,
    format: param.text(16),
    origin: param.text(16),
    enabled: param.flag,
    includes: param.optional(param.text(16)),
    reaches: param.optional(param.text(16)),
    reason: param.optional(param.longText),
    secret: param.optional(param.bytes),
    formerSecret: param.optional(param.bytes),
    formerEndsAt: param.optional(param.time),
    createdAt: param.time,
  },
  (_db, { formerSecret, formerEndsAt, createdAt, ...parameters }, own) =>
    own.upsert(
      "webhooks",
      {
        ...parameters,
        former_secret: formerSecret,
        former_ends_at: formerEndsAt,
        created_at: createdAt,
      },
      ["id"],
    ),
);
const REMOVE = defineStatement("webhook-remove", ID, (db, { id }) =>
  db.deleteFrom("webhooks").where("id", "=", id),
);
const REMOVE_DELIVERIES = defineStatement("webhook-deliveries-remove", ID, (db, { id }) =>
  db.deleteFrom("webhook_deliveries").where("webhook_id", "=", id),
);

/** Each change and its event are one transaction. */
export function createWebhookRows({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): WebhookRows {
  return {
    list: async () => (await queries.all(ALL, {})).map(rowOf),
    put: (row, { caller, what }) =>
      changes.transaction(async (unit) => {
        const { events, isEnabled: enabled, reason, secret, formerSecret, formerEndsAt } = row;
        const includes = row.includesPrivate ? "private" : undefined;
        const reaches = row.allowsPrivateNetwork ? "private" : undefined;
        await unit.queries.run(PUT, {
          ...row,
          events: JSON.stringify(events),
          enabled,
          includes,
          reaches,
          reason,
          secret,
          formerSecret,
          formerEndsAt,
        });
        await changes.event(unit, { ...changedEvent(row, what), caller });
      }),
    remove: (id, caller) =>
      changes.transaction(async (unit) => {
        const row = (await unit.queries.all(ALL, {})).find((one) => one.id === id);
        if (!row || (await unit.queries.run(REMOVE, { id })) === 0) return "absent";
        await unit.queries.run(REMOVE_DELIVERIES, { id });
        await changes.event(unit, { ...changedEvent(rowOf(row), "removed"), caller });
        return "removed";
      }),
  };
}

/** The event of a change. It has only the origin of the URL, because a path may be a secret. */
function changedEvent(row: WebhookRow, what: string): Omit<NewEvent, "caller"> {
  const { id, url, events, format, isEnabled: enabled, reason } = row;
  const { includesPrivate, allowsPrivateNetwork } = row;
  const receiver = new URL(url).origin;
  const subscription = { receiver, events, format, enabled, includesPrivate, allowsPrivateNetwork };
  const detail = { change: what, ...subscription, ...(reason && { reason }) };
  return { type: "webhook.changed", subject: `webhook/${id}`, detail };
}

function rowOf(row: RowOf<typeof ALL>): WebhookRow {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as readonly string[],
    format: row.format as WebhookRow["format"],
    origin: row.origin as WebhookRow["origin"],
    isEnabled: row.enabled,
    includesPrivate: row.includes === "private",
    allowsPrivateNetwork: row.reaches === "private",
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.secret !== null && { secret: row.secret }),
    ...(row.former_secret !== null && { formerSecret: row.former_secret }),
    ...(row.former_ends_at !== null && { formerEndsAt: row.former_ends_at }),
    createdAt: row.created_at,
  };
}
