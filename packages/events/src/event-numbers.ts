import type { Job } from "@sealhouse/jobs";
import type { MailLog } from "./mail/mail.ts";
import type { ParkedList } from "./ports.ts";
import type { DeliveryLog, DeliveryQueue, WebhookRows } from "./webhooks/ports.ts";

const EVERY_MS = 15_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Milliseconds after which a due delivery should have been sent. */
const STALLED_AFTER_MS = 10 * 60 * 1000;

/** Numbers of events on their way out, for health reports and metrics. */
export type EventNumbers = {
  /** By queue; `dead`: of the last day, of parked events all. */
  readonly queues: Readonly<
    Record<"webhooks" | "mail" | "parked", { readonly waiting: number; readonly dead: number }>
  >;
  /** Subscriptions that the registry disabled. */
  readonly disabledWebhooks: number;
  /** Subscriptions with a delivery that has been due for ten minutes. */
  readonly stalledWebhooks: number;
};

/** Reads the numbers now and then, because their readers are many and may be anonymous. */
export function openEventNumbers(parts: {
  readonly parked: Pick<ParkedList, "count">;
  readonly deliveries: Pick<DeliveryLog, "count"> & Pick<DeliveryQueue, "dueWebhooks">;
  readonly mails: Pick<MailLog, "count">;
  readonly webhooks: Pick<WebhookRows, "list">;
  readonly now: () => Date;
}): {
  readonly job: Job;
  /** Undefined before the first run. */
  readonly current: () => EventNumbers | undefined;
  /** Sentences about failures by name; undefined: nothing failed. */
  readonly problems: () => Readonly<Record<"events" | "webhooks" | "mail", string | undefined>>;
} {
  let numbers: EventNumbers | undefined;
  const run = async () => {
    const nowMs = parts.now().getTime();
    const since = new Date(nowMs - DAY_MS);
    const stalled = await parts.deliveries.dueWebhooks(new Date(nowMs - STALLED_AFTER_MS));
    const mail = await parts.mails.count(since);
    numbers = {
      queues: {
        parked: await parts.parked.count(),
        webhooks: await parts.deliveries.count(since),
        mail: { waiting: mail.waiting, dead: mail.failed },
      },
      disabledWebhooks: (await parts.webhooks.list()).filter(
        ({ isEnabled, reason }) => !isEnabled && reason !== undefined,
      ).length,
      stalledWebhooks: stalled.length,
    };
  };
  return {
    job: { name: "event numbers", firstAfterMs: EVERY_MS / 5, everyMs: EVERY_MS, run },
    current: () => numbers,
    problems: () => problemsOf(numbers),
  };
}

function problemsOf(numbers: EventNumbers | undefined) {
  const { parked, webhooks, mail } = numbers?.queues ?? {};
  const { disabledWebhooks: disabled = 0, stalledWebhooks: stalled = 0 } = numbers ?? {};
  return {
    events: sentence(parked?.dead, "events could not be handled: sealhouse event list --dead"),
    webhooks:
      sentence(
        webhooks?.dead,
        "deliveries failed for a day: sealhouse webhook deliveries --dead",
      ) ??
      sentence(
        stalled,
        "subscriptions send nothing for 10 minutes: sealhouse webhook deliveries",
      ) ??
      sentence(disabled, "subscriptions were disabled: sealhouse webhook list"),
    mail: sentence(mail?.dead, "mails did not arrive for sure: sealhouse mail list"),
  };
}

function sentence(count: number | undefined, words: string): string | undefined {
  return count === undefined || count === 0 ? undefined : `${count} ${words}`;
}
