import type { Caller } from "@sealhouse/request-types";
import type { WebhookRows } from "./ports.ts";
import { secretText } from "./signature.ts";
import { eventProblem, secretProblem, urlProblem, WEBHOOKS_MAX } from "./webhook-problems.ts";
import type { WebhookFormat, WebhookRow } from "./webhook.ts";
import { protectSecret } from "./webhook-secrets.ts";
import type { SecretKeeper } from "./webhook-secrets.ts";

/** Milliseconds for which the former secret signs, too. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

/** Parts for changes of subscriptions. */
export type WebhookStore = {
  readonly rows: WebhookRows;
  readonly keyRing: Pick<SecretKeeper, "protect">;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly randomUuid: () => string;
};

/** A subscription to add. */
export type NewWebhook = {
  readonly url: string;
  readonly events: readonly string[];
  readonly format: WebhookFormat;
  /** Whether it gets events about names that are not public. Default: no. */
  readonly includesPrivate?: boolean;
  /** Whether the receiver may have an address in a private network. Default: no. */
  readonly allowsPrivateNetwork?: boolean;
  /** Undefined: a new one. */
  readonly secret?: string | undefined;
};

/** Outcome of adding a subscription. */
export type WebhookAdded =
  | { readonly status: "added"; readonly id: string; readonly newSecret?: string }
  | { readonly status: "refused"; readonly problem: string };

/** Adds a subscription. A secret that it creates is in the result and nowhere else. */
export async function addWebhook(
  { rows, keyRing, now, randomBytes, randomUuid }: WebhookStore,
  webhook: NewWebhook,
  caller: Caller,
): Promise<WebhookAdded> {
  const problem = webhookProblem(webhook);
  if (problem !== undefined) return { status: "refused", problem };
  if ((await rows.list()).length >= WEBHOOKS_MAX) {
    return { status: "refused", problem: `There are ${WEBHOOKS_MAX} subscriptions already.` };
  }
  const newSecret = webhook.secret === undefined ? secretText(randomBytes(32)) : undefined;
  const id = randomUuid();
  const row: WebhookRow = {
    id,
    url: new URL(webhook.url).href,
    events: webhook.events,
    format: webhook.format,
    origin: "database",
    isEnabled: true,
    includesPrivate: webhook.includesPrivate ?? false,
    allowsPrivateNetwork: webhook.allowsPrivateNetwork ?? false,
    createdAt: now(),
    secret: protectSecret(keyRing, webhook.secret ?? newSecret ?? ""),
  };
  await rows.put(row, { caller, what: "added" });
  return { status: "added", id, ...(newSecret !== undefined && { newSecret }) };
}

function webhookProblem({ url, events, secret }: NewWebhook): string | undefined {
  const ofUrl = urlProblem(url);
  if (ofUrl !== undefined) return `The URL ${ofUrl}.`;
  const ofSecret = secret === undefined ? undefined : secretProblem(secret);
  if (ofSecret !== undefined) return `The secret ${ofSecret}.`;
  return events.map(eventProblem).find((problem) => problem !== undefined);
}

export type WebhookChange = "changed" | "absent" | "configured";

/** Enables or disables a subscription. */
export async function enableWebhook(
  { rows }: Pick<WebhookStore, "rows">,
  id: string,
  { isEnabled, caller }: { readonly isEnabled: boolean; readonly caller: Caller },
): Promise<WebhookChange> {
  const row = await findWebhook(rows, id);
  if (!row) return "absent";
  const { reason: _, ...rest } = row;
  await rows.put({ ...rest, isEnabled }, { caller, what: isEnabled ? "enabled" : "disabled" });
  return "changed";
}

/** Decides whether a subscription gets events about names that are not public. */
export async function includePrivate(
  { rows }: Pick<WebhookStore, "rows">,
  id: string,
  { includesPrivate, caller }: { readonly includesPrivate: boolean; readonly caller: Caller },
): Promise<WebhookChange> {
  const row = await findWebhook(rows, id);
  if (!row) return "absent";
  if (row.origin === "settings") return "configured";
  await rows.put({ ...row, includesPrivate }, { caller, what: "changed" });
  return "changed";
}

/** Decides whether the receiver may have an address in a private network. */
export async function allowPrivateNetwork(
  { rows }: Pick<WebhookStore, "rows">,
  id: string,
  change: { readonly allowsPrivateNetwork: boolean; readonly caller: Caller },
): Promise<WebhookChange> {
  const row = await findWebhook(rows, id);
  if (!row) return "absent";
  if (row.origin === "settings") return "configured";
  const { allowsPrivateNetwork, caller } = change;
  await rows.put({ ...row, allowsPrivateNetwork }, { caller, what: "changed" });
  return "changed";
}

/** Replaces the secret. The former one signs for a day, too. */
export async function rotateSecret(
  { rows, keyRing, now }: Pick<WebhookStore, "rows" | "keyRing" | "now">,
  id: string,
  { secret, caller }: { readonly secret: string; readonly caller: Caller },
): Promise<WebhookChange> {
  const row = await findWebhook(rows, id);
  if (!row) return "absent";
  if (row.origin === "settings") return "configured";
  const former = row.secret && {
    formerSecret: row.secret,
    formerEndsAt: new Date(now().getTime() + ROTATION_MS),
  };
  const changed = { ...row, ...former, secret: protectSecret(keyRing, secret) };
  await rows.put(changed, { caller, what: "rotated" });
  return "changed";
}

/** Removes a subscription of the database with its deliveries. */
export async function removeWebhook(
  { rows }: Pick<WebhookStore, "rows">,
  id: string,
  caller: Caller,
): Promise<"removed" | "absent" | "configured"> {
  const row = await findWebhook(rows, id);
  if (!row) return "absent";
  if (row.origin === "settings") return "configured";
  return rows.remove(row.id, caller);
}

/** Finds a subscription by its id, or by the beginning of it that no other has. */
export async function findWebhook(
  rows: Pick<WebhookRows, "list">,
  id: string,
): Promise<WebhookRow | undefined> {
  const all = await rows.list();
  const matching = all.filter((row) => row.id === id || (id.length >= 4 && row.id.startsWith(id)));
  return matching.length === 1 ? matching[0] : undefined;
}
