import { createHash } from "node:crypto";
import { SYSTEM } from "../event.ts";
import type { WebhookRows } from "./ports.ts";
import type { WebhookFormat, WebhookRow } from "./webhook.ts";
import { protectSecret, secretsOf } from "./webhook-secrets.ts";
import type { SecretKeeper } from "./webhook-secrets.ts";

/** A subscription of the settings. */
export type ConfiguredWebhook = {
  readonly url: string;
  readonly events: readonly string[];
  /** Undefined: unsigned. */
  readonly secret?: string;
  readonly format: WebhookFormat;
  readonly includesPrivate: boolean;
  readonly allowsPrivateNetwork: boolean;
};

/**
 * Makes the subscriptions of the settings rows, so that they have queues and a log like the others,
 * and removes those that left the settings. One that the registry disabled stays disabled.
 */
export async function syncConfigured(
  {
    rows,
    keyRing,
    now,
  }: {
    readonly rows: WebhookRows;
    readonly keyRing: SecretKeeper;
    readonly now: () => Date;
  },
  configured: readonly ConfiguredWebhook[],
): Promise<void> {
  const stored = (await rows.list()).filter(({ origin }) => origin === "settings");
  const wanted = new Map(configured.map((webhook) => [idOf(webhook), webhook]));
  for (const { id } of stored) if (!wanted.has(id)) await rows.remove(id, SYSTEM);
  for (const [id, webhook] of wanted) {
    const before = stored.find((row) => row.id === id);
    if (before && (await isSame(before, webhook, keyRing, now()))) continue;
    await rows.put(rowOf(id, webhook, { before, keyRing, now }), {
      caller: SYSTEM,
      what: before ? "changed" : "added",
    });
  }
}

/** A UUID that follows from URL and form, because instances start at the same time. */
function idOf({ url, format }: ConfiguredWebhook): string {
  const hex = createHash("sha256")
    .update(`${format} ${new URL(url).href}`)
    .digest("hex");
  const part = (start: number, length: number) => hex.slice(start, start + length);
  return `${part(0, 8)}-${part(8, 4)}-8${part(13, 3)}-8${part(17, 3)}-${part(20, 12)}`;
}

function rowOf(
  id: string,
  { url, events, format, includesPrivate, allowsPrivateNetwork, secret }: ConfiguredWebhook,
  parts: {
    readonly before: WebhookRow | undefined;
    readonly keyRing: SecretKeeper;
    readonly now: () => Date;
  },
): WebhookRow {
  const { before, keyRing, now } = parts;
  return {
    id,
    url: new URL(url).href,
    events,
    format,
    origin: "settings",
    isEnabled: before?.isEnabled ?? true,
    includesPrivate,
    allowsPrivateNetwork,
    ...(before?.reason !== undefined && { reason: before.reason }),
    createdAt: before?.createdAt ?? now(),
    ...(secret !== undefined && { secret: protectSecret(keyRing, secret) }),
  };
}

/** A secret that the key ring cannot decrypt counts as changed. */
async function isSame(
  row: WebhookRow,
  { events, includesPrivate, allowsPrivateNetwork, secret }: ConfiguredWebhook,
  keyRing: SecretKeeper,
  now: Date,
): Promise<boolean> {
  if (JSON.stringify(row.events) !== JSON.stringify(events)) return false;
  if (row.includesPrivate !== includesPrivate) return false;
  if (row.allowsPrivateNetwork !== allowsPrivateNetwork) return false;
  const known = await secretsOf(row, keyRing, now).catch(() => [undefined]);
  return known[0] === secret;
}
