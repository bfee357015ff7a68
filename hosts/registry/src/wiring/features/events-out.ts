import {
  eventSource,
  openEventNumbers,
  openMail,
  openWebhooks,
  tokenNoticesJob,
} from "@sealhouse/events";
import type { Webhooks } from "@sealhouse/events";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { addEventMetrics } from "../../operations/event-metrics.ts";
import { VERSION } from "../../version.ts";
import type { Core } from "../core.ts";
import type { FeatureModule } from "../feature.ts";

/** Webhooks and mail. Disposal ends running requests. */
export const eventsOut: FeatureModule = {
  async open(core) {
    const { now } = core;
    const { database } = core.resources;
    const sent = await openSending(core);
    const numbers = openEventNumbers({ ...database.events, now });
    const mail = mailOf(core);
    return {
      consumers: [sent.consumer, mail.consumer],
      jobs: [
        numbers.job,
        tokenNoticesJob({ notices: database.tokenNotices, leases: database.leases, now }),
        sent.retentionJob,
        ...mail.jobs,
      ],
      numbers: (registry, feed) =>
        addEventMetrics(registry, feed, { numbers: numbers.current, attempts: sent.attempts }),
      problems: numbers.problems,
      [Symbol.asyncDispose]: () => sent[Symbol.asyncDispose](),
    };
  },
};

function openSending({ config, resources, log, now }: Core): Promise<Webhooks> {
  const { database, keyRing, registryId } = resources;
  const { webhooks: rows, deliveries: queue } = database.events;
  return openWebhooks({
    settings: config.webhooks,
    rows,
    queue,
    leases: database.leases,
    keyRing,
    source: eventSource(registryId, config.feed.publicBaseUrls),
    isHidden: async ({ protocol, name }) =>
      (await database.visibilities.find(protocol, name)) !== undefined,
    openFetch: createOutgoingFetch,
    userAgent: `sealhouse/${VERSION}`,
    log,
    now,
  });
}

function mailOf({ config, resources, log, now }: Core): ReturnType<typeof openMail> {
  const { tokens, mailReceivers: receivers, events, promotion } = resources.database;
  return openMail({
    mail: config.mail,
    queue: events.mails,
    serverName: config.host.serverName,
    publicUrl: config.feed.publicBaseUrls[0],
    receivers,
    tokens,
    targets: promotion.targets,
    log,
    now,
  });
}
