import type { Job } from "@sealhouse/jobs";
import type { Consumer } from "../delivery.ts";
import { syncConfigured } from "./configured-webhooks.ts";
import type { ConfiguredWebhook } from "./configured-webhooks.ts";
import { webhookConsumer } from "./webhook-consumer.ts";
import { createWebhookFetch } from "./webhook-fetch.ts";
import { webhookRetentionJob } from "./webhook-retention-job.ts";
import type { SecretKeeper } from "./webhook-secrets.ts";
import { openWebhookSender } from "./webhook-sender.ts";
import type { WebhookSender, WebhookSenderParts } from "./webhook-sender.ts";

/** Settings of webhooks. */
type WebhookSettings = {
  readonly subscriptions: readonly ConfiguredWebhook[];
  /** Sentences for the log. */
  readonly warnings: readonly string[];
  readonly allowPrivateAddresses: boolean;
  readonly keepDeliveriesMs: number;
};

type OpenWebhooksParts = Omit<WebhookSenderParts, "post" | "onError" | "keyRing"> & {
  readonly settings: WebhookSettings;
  readonly keyRing: SecretKeeper;
  /** See `createWebhookFetch`. */
  readonly openFetch: Parameters<typeof createWebhookFetch>[0];
  readonly userAgent: string;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
};

/** Webhooks of a registry. Disposal ends running requests. */
export type Webhooks = AsyncDisposable &
  Pick<WebhookSender, "attempts"> & {
    /** Queues deliveries. */
    readonly consumer: Consumer;
    /** Deletes old deliveries. */
    readonly retentionJob: Job;
  };

/** Stores the subscriptions of the settings, and opens the sending of webhooks. */
export async function openWebhooks(parts: OpenWebhooksParts): Promise<Webhooks> {
  const { settings, openFetch, userAgent, log, ...sending } = parts;
  const { rows, queue, source, now } = sending;
  for (const warning of settings.warnings) log.warn({}, warning);
  await syncConfigured(parts, settings.subscriptions);
  const sender = openWebhookSender({
    ...sending,
    post: { fetchFor: createWebhookFetch(openFetch, settings), userAgent, now },
    onError: ({ webhookId, error }) =>
      log.error({ webhook: webhookId, err: error }, "could not send webhooks; will retry"),
  });
  return {
    consumer: webhookConsumer({ rows, queue, source, onAdded: () => sender.wake() }),
    retentionJob: webhookRetentionJob({ queue, retentionMs: settings.keepDeliveriesMs, now }),
    attempts: () => sender.attempts(),
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}
