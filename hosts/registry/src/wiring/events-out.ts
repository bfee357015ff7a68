import {
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
import type { Consumer, EventNumbers, MailConfig } from "@sealhouse/events";
import { createOutgoingFetch } from "@sealhouse/http-server";
import type { Job } from "@sealhouse/jobs";
import { watchReleases } from "@sealhouse/promotion";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { VERSION } from "../version.ts";
import type { RegistryResources } from "./registry-resources.ts";

type EventsOutParts = {
  readonly config: Pick<Config, "feed" | "host" | "mail" | "webhooks">;
  readonly resources: Pick<RegistryResources, "database" | "keyRing" | "registryId">;
  readonly log: Log;
  readonly now: () => Date;
};

/** Webhooks and mail of a host, and a watch of its releases. Disposal ends running requests. */
export type EventsOut = AsyncDisposable & {
  readonly consumers: readonly Consumer[];
  readonly jobs: readonly Job[];
  readonly numbers: () => EventNumbers | undefined;
  /** Sentences about failures by name; undefined: nothing failed. */
  readonly problems: () => Readonly<Record<string, string | undefined>>;
  /** Attempts of webhooks of this process. */
  readonly attempts: () => { readonly sent: number; readonly failed: number };
};

/** Opens webhooks and mail, and stores the subscriptions of the settings. */
export async function openEventsOut(parts: EventsOutParts): Promise<EventsOut> {
  const { config, resources, log, now } = parts;
  const { database, keyRing, registryId } = resources;
  const { webhooks: rows, deliveries: queue, parked, mails } = database.events;
  const { subscriptions, allowPrivateAddresses, keepDeliveriesMs, warnings } = config.webhooks;
  for (const warning of warnings) log.warn({}, warning);
  await syncConfigured({ rows, keyRing, now }, subscriptions);
  const source = eventSource(registryId, config.feed.publicBaseUrls);
  const sender = openWebhookSender({
    rows,
    queue,
    leases: database.leases,
    keyRing,
    source,
    isHidden: async ({ protocol, name }) =>
      (await database.visibilities.find(protocol, name)) !== undefined,
    post: { fetch: openWebhookFetch(allowPrivateAddresses), userAgent: USER_AGENT, now },
    now,
    onError: ({ webhookId, error }) =>
      log.error({ webhook: webhookId, err: error }, "could not send webhooks; will retry"),
  });
  const releases = watchReleases({ ...database, ...database.promotion, now });
  const numbers = openEventNumbers({ parked, deliveries: queue, mails, webhooks: rows, now });
  const mail = openMail(parts, config.mail);
  return {
    consumers: [
      webhookConsumer({ rows, queue, source, onAdded: () => sender.wake() }),
      mail.consumer,
    ],
    jobs: [
      numbers.job,
      releases.job,
      tokenNoticesJob({ notices: database.tokenNotices, leases: database.leases, now }),
      webhookRetentionJob({ queue, retentionMs: keepDeliveriesMs, now }),
      ...mail.jobs,
    ],
    numbers: numbers.current,
    problems: () => ({ ...numbers.problems(), ...releases.problems() }),
    attempts: () => sender.attempts(),
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

const USER_AGENT = `sealhouse/${VERSION}`;

function openWebhookFetch(allowPrivate: boolean): typeof fetch {
  return createOutgoingFetch({ allowPrivate, setting: "Host__Webhooks__AllowPrivateAddresses" });
}

/** Without a provider, no mail is queued. */
function openMail(
  { config, resources, log, now }: EventsOutParts,
  mail: MailConfig | undefined,
): { readonly consumer: Consumer; readonly jobs: readonly Job[] } {
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
