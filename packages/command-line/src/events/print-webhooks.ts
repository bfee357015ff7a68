import type {
  AddedWebhook,
  ShownDelivery,
  ShownTest,
  ShownWebhook,
  WarnedWebhook,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { PrintPlace } from "../actions/print.ts";

type List<Item> = { readonly items: readonly Item[] };

/** Prints webhooks and deliveries. */
export const WEBHOOK_PRINTS = {
  "webhooks.add": printOf<AddedWebhook>({
    text({ id, secret, warning }, { stdout, stderr }) {
      if (warning !== undefined) stderr(warning);
      stdout(id);
      if (secret !== undefined) {
        stderr("Copy the secret now; it is not shown again:");
        stderr(secret);
      }
      stderr(`Hosts send events from now on. To test it: sealhouse webhook test ${id}`);
    },
  }),
  "webhooks.list": printOf<List<ShownWebhook>>({
    text({ items }, { stdout, stderr }) {
      for (const webhook of items) stdout(lineOfWebhook(webhook));
      if (items.length === 0) stderr("There are no webhooks: sealhouse webhook add");
    },
  }),
  "webhooks.show": printOf<ShownWebhook>({
    text: (webhook, { stdout }) => stdout(lineOfWebhook(webhook)),
  }),
  "webhooks.test": printOf<ShownTest>({
    text({ outcome, status, error, durationMs }, { stdout }) {
      const answer = status === undefined ? [] : [`status ${status}`];
      const reason = error === undefined ? [] : [error];
      stdout([outcome, ...answer, `${durationMs} ms`, ...reason].join("  "));
    },
    code: ({ outcome }) => (outcome === "delivered" ? 0 : 1),
  }),
  "webhooks.rotate": printOf<WarnedWebhook>({
    text: ({ id }, { stderr }) =>
      stderr(`Replaced the secret of ${id}. The former one signs for 24 hours, too.`),
  }),
  "webhooks.include-private": printOf<WarnedWebhook>({
    text({ id }, { stderr, input }) {
      const names = input["off"] === true ? "public names only" : "all names";
      stderr(`${id} gets events about ${names} from now on.`);
    },
  }),
  "webhooks.allow-private-network": printOf<WarnedWebhook>({
    text({ id, warning }, { stderr, input }) {
      const networks = input["off"] === true ? "must not be" : "may be";
      stderr(`The receiver of ${id} ${networks} in a private network from now on.`);
      if (warning !== undefined) stderr(warning);
    },
  }),
  "webhooks.switch": printOf<WarnedWebhook>({
    text({ id, warning }, { stderr, input }) {
      const state = input["enabled"] === true ? "enabled" : "disabled";
      stderr(`${id} is ${state}. Hosts follow within seconds.`);
      if (warning !== undefined) stderr(warning);
    },
  }),
  "webhooks.remove": printOf<WarnedWebhook>({
    text: ({ id }, { stderr }) => stderr(`Removed ${id} and its deliveries.`),
  }),
  "webhooks.deliveries": printOf<List<ShownDelivery>>({
    text({ items }, { stdout, stderr }) {
      for (const delivery of items) stdout(lineOfDelivery(delivery));
      if (items.length === 0) stderr("There are no such deliveries.");
    },
  }),
  "webhooks.replay": printOf<{ readonly count: number }>({ text: printReplay }),
};

function printReplay({ count }: { readonly count: number }, { stderr, input }: PrintPlace): void {
  const { delivery, deadOf } = input;
  if (deadOf !== undefined) stderr(`${count} deliveries are sent again.`);
  else stderr(`Delivery ${String(delivery)} is sent again.`);
}

function lineOfWebhook(webhook: ShownWebhook): string {
  const { id, url, events, format, origin, enabled, reason, signed } = webhook;
  return [
    id,
    url,
    events.length === 0 ? "all events" : events.join(","),
    format,
    enabled ? "enabled" : ["disabled", ...(reason === undefined ? [] : [reason])].join(": "),
    ...(signed ? [] : ["unsigned"]),
    ...(webhook.includesPrivate ? ["includes private names"] : []),
    ...(webhook.allowsPrivateNetwork ? ["may be in a private network"] : []),
    `from the ${origin}`,
  ].join("  ");
}

function lineOfDelivery(delivery: ShownDelivery): string {
  const { id, createdAt, webhook, type, subject, state, attempts, nextAttempt, log } = delivery;
  const last = log.at(-1);
  return [
    id,
    createdAt,
    webhook,
    type,
    subject,
    state,
    `${attempts} attempts`,
    ...(nextAttempt === undefined ? [] : [`next ${nextAttempt}`]),
    ...(last?.status === undefined ? [] : [`status ${last.status}`]),
    ...(last?.error === undefined ? [] : [last.error]),
  ].join("  ");
}
