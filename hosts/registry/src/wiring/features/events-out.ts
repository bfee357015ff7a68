import {
  createWebhookFetch,
  eventSource,
  mailConsumer,
  mailJobs,
  openEventNumbers,
  openWebhookSender,
  sendMail,
  syncConfigured,
  targetExpiryJob,
  tokenNoticesJob,
  webhookConsumer,
  webhookRetentionJob,
} from "@sealhouse/events";
import type { Consumer, EventSource, WebhookSender } from "@sealhouse/events";
import { createOutgoingFetch } from "@sealhouse/http-server";
import type { Job } from "@sealhouse/jobs";
import { addEventMetrics } from "../../operations/event-metrics.ts";
import { VERSION } from "../../version.ts";
import type { Core } from "../core.ts";
import type { FeatureModule } from "../feature.ts";

/** Webhooks and mail. Disposal ends running requests. */
export const eventsOut: FeatureModule = {
  async open(core) {
    const { resources, now } = core;
    const { database } = resources;
    const { webhooks, deliveries, parked, mails } = database.events;
    const source = eventSource(resources.registryId, core.config.feed.publicBaseUrls);
    const sender = await openSender(core, source);
    const numbers = openEventNumbers({ parked, deliveries, mails, webhooks, now });
    const onAdded = () => sender.wake();
    const mail = openMail(core);
    return {
      consumers: [
        webhookConsumer({ rows: webhooks, queue: deliveries, source, onAdded }),
        mail.consumer,
      ],
      jobs: [
        numbers.job,
        tokenNoticesJob({ notices: database.tokenNotices, leases: database.leases, now }),
        webhookRetentionJob({
          queue: deliveries,
          retentionMs: core.config.webhooks.keepDeliveriesMs,
          now,
        }),
        ...mail.jobs,
      ],
      numbers: (registry, feed) =>
        addEventMetrics(registry, feed, {
          numbers: numbers.current,
          attempts: () => sender.attempts(),
        }),
      problems: numbers.problems,
      [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
    };
  },
};

/** Stores the subscriptions of the settings, and opens the sending of webhooks. */
async function openSender(core: Core, source: EventSource): Promise<WebhookSender> {
  const { config, resources, log, now } = core;
  const { database, keyRing } = resources;
  const { webhooks: rows, deliveries: queue } = database.events;
  const { subscriptions, warnings } = config.webhooks;
  for (const warning of warnings) log.warn({}, warning);
  await syncConfigured({ rows, keyRing, now }, subscriptions);
  const fetchFor = createWebhookFetch(createOutgoingFetch, config.webhooks);
  return openWebhookSender({
    rows,
    queue,
    leases: database.leases,
    keyRing,
    source,
    isHidden: async ({ protocol, name }) =>
      (await database.visibilities.find(protocol, name)) !== undefined,
    post: { fetchFor, userAgent: USER_AGENT, now },
    now,
    onError: ({ webhookId, error }) =>
      log.error({ webhook: webhookId, err: error }, "could not send webhooks; will retry"),
  });
}

const USER_AGENT = `sealhouse/${VERSION}`;

/** Without a provider, no mail is queued. */
function openMail({ config, resources, log, now }: Core): {
  readonly consumer: Consumer;
  readonly jobs: readonly Job[];
} {
  const { mail } = config;
  const { tokens, mailReceivers, events } = resources.database;
  const messages = {
    queue: events.mails,
    serverName: config.host.serverName,
    administrators: mail?.administrators ?? [],
  };
  const consumer = mailConsumer({
    ...messages,
    receivers: mailReceivers,
    publicUrl: config.feed.publicBaseUrls[0],
    async isFirstToken({ id, owner }) {
      const all = owner === undefined ? await tokens.list() : await tokens.listNamed(owner);
      return all[0]?.id === id;
    },
  });
  if (!mail) return { consumer, jobs: [] };
  const sending = mailJobs({
    queue: events.mails,
    send: (letter) => sendMail(mail, letter),
    now,
    onFailure: ({ error, ...failure }) =>
      log.warn({ ...failure, reason: error }, "a mail could not be sent"),
  });
  const { targets } = resources.database.promotion;
  return {
    consumer,
    jobs: [...sending, targetExpiryJob({ ...messages, targets, now })],
  };
}
