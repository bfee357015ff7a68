import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { newestFields, newestPage, newestWithId, pageSchema } from "../paging.ts";
import { absent, RefusedActionError } from "../refusal.ts";
import { DELIVERY, shownDelivery } from "./shown-webhook.ts";
import { rowOf, WEBHOOK_CHANGES } from "./webhook-actions.ts";

const NO_PAGE = { none: "It concerns operators of receivers, and has no page yet." };
const WEBHOOK_ID = z.string().max(64).optional();
const DELIVERY_ID = z.string().max(20);

const listDeliveries = defineAction({
  id: "webhooks.deliveries",
  summary: "list deliveries with their attempts, the newest first",
  scope: "targets:write",
  method: "GET",
  path: "/webhook-deliveries",
  command: "webhook deliveries [webhook]",
  form: NO_PAGE,
  input: z.strictObject({
    webhook: field(WEBHOOK_ID, "Webhook", "The id of the webhook, or how it begins."),
    dead: field(z.boolean().optional(), "Only dead ones", "Only those that are not tried again."),
    ...newestFields({ max: 1_000, fallback: 50, items: "deliveries" }),
  }),
  output: pageSchema(DELIVERY),
  refusals: ["absent"],
  async run({ input: { webhook, dead, ...place }, parts }) {
    const { webhooks, deliveries } = await parts.events();
    const of = webhook === undefined ? {} : { webhookId: (await rowOf(webhooks, webhook)).id };
    const filter = { ...of, ...(dead && { state: "dead" as const }) };
    const page = await newestPage(place, (from) => deliveries.list({ ...filter, ...from }));
    return { ...page, items: page.items.map(shownDelivery) };
  },
});

const showDelivery = defineAction({
  id: "webhooks.delivery",
  summary: "show a delivery with its attempts",
  scope: "targets:write",
  method: "GET",
  path: "/webhook-deliveries/{id}",
  command: "webhook delivery <id>",
  form: NO_PAGE,
  input: z.strictObject({
    id: field(DELIVERY_ID, "Delivery", "The number of the delivery."),
  }),
  output: DELIVERY,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    const { deliveries } = await parts.events();
    const delivery = await newestWithId(id, (from) => deliveries.list(from));
    if (!delivery) throw unknownDelivery(id);
    return shownDelivery(delivery);
  },
});

const replayDeliveries = defineAction({
  id: "webhooks.replay",
  summary: "send a delivery again, with the same id",
  scope: "targets:write",
  method: "POST",
  path: "/webhook-deliveries/replay",
  command: "webhook replay [delivery]",
  form: NO_PAGE,
  input: z.strictObject({
    delivery: field(DELIVERY_ID.optional(), "Delivery", "The number of the delivery."),
    deadOf: field(
      WEBHOOK_ID,
      "All of a webhook",
      "Send all deliveries of a subscription again that failed for a day.",
      { option: "--dead-of <id>" },
    ),
  }),
  output: z.strictObject({ count: z.int().describe("Deliveries that are sent again.") }),
  refusals: ["absent"],
  lasting: "change-webhooks",
  async run({ input: { delivery, deadOf }, parts }) {
    const { webhooks, deliveries } = await parts.events();
    if (delivery === undefined && deadOf !== undefined) {
      return { count: await deliveries.replayDead((await rowOf(webhooks, deadOf)).id) };
    }
    if (delivery === undefined || deadOf !== undefined) {
      const words = "Name one delivery, or a subscription with --dead-of.";
      throw new RefusedActionError("invalid", words);
    }
    if ((await deliveries.replay(delivery)) === "absent") throw unknownDelivery(delivery);
    return { count: 1 };
  },
});

/** URLs that get events, and the deliveries to them. */
export const WEBHOOK_ACTIONS = [...WEBHOOK_CHANGES, listDeliveries, showDelivery, replayDeliveries];

function unknownDelivery(id: string) {
  return absent(`There is no delivery ${id}: sealhouse webhook deliveries`);
}
