import { nextAttempt } from "../backoff.ts";
import { packageOfSubject } from "../event-names.ts";
import type { EventName } from "../event-names.ts";
import { CONTENT_TYPES, eventIdOutside } from "./bodies.ts";
import type { EventSource } from "./bodies.ts";
import type { DeliveryAttempt, DeliveryQueue, DeliveryResult, WebhookDelivery } from "./ports.ts";
import { postWebhook } from "./post-webhook.ts";
import type { PostAnswer, PostOptions } from "./post-webhook.ts";
import { messageHeaders } from "./signature.ts";
import type { WebhookFetch } from "./webhook-fetch.ts";
import type { WebhookRow } from "./webhook.ts";

/** Deliveries of a subscription that are read together. */
const DUE_MAX = 50;
/** Requests to one receiver at once; those about one subject follow each other. */
const CONCURRENCY = 8;
/** Milliseconds after which results are stored, while a slow answer is waited for. */
const SETTLE_EVERY_MS = 250;
/** Attempts that stay in the log. */
const LOG_MAX = 20;

/** Parts of `runLane`. */
export type LaneParts = {
  readonly webhook: WebhookRow;
  readonly secrets: readonly string[];
  readonly queue: Pick<DeliveryQueue, "due" | "settle">;
  readonly source: EventSource;
  /** Whether a name such as `npm/@acme/bar` is hidden from anonymous callers now. */
  readonly isHidden: (name: EventName) => Promise<boolean>;
  readonly post: Omit<PostOptions, "signal" | "fetch"> & { readonly fetchFor: WebhookFetch };
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
};

/** Totals of a batch. */
export type LaneOutcome = {
  readonly sent: number;
  readonly failed: number;
  /** The receiver wants no further events. */
  readonly isGone: boolean;
  /** Deliveries that were due, up to the size of a batch. */
  readonly due: number;
  /** More may be due. */
  readonly isFull: boolean;
};

/** Sends deliveries of one subscription that are due: one batch. */
export async function runLane(parts: LaneParts): Promise<LaneOutcome> {
  const { webhook, queue, now } = parts;
  const due = await queue.due(webhook.id, now(), DUE_MAX);
  const cut = new AbortController();
  const signal = AbortSignal.any([parts.signal, cut.signal]);
  const results: DeliveryResult[] = [];
  const counts = { sent: 0, failed: 0, isGone: false };
  const subjects = bySubject(due);
  const work = async () => {
    for (let next = subjects.shift(); next; next = subjects.shift()) {
      await sendInOrder(next, { ...parts, signal }, { counts, results });
    }
  };
  const workers = Array.from({ length: CONCURRENCY }, work);
  try {
    await settleWhile(Promise.all(workers), async () => {
      const some = results.splice(0);
      if (some.length > 0) await queue.settle(some);
    });
  } catch (error) {
    // What cannot be stored is sent again, so nothing more is sent now.
    cut.abort();
    await Promise.allSettled(workers);
    throw error;
  }
  return { ...counts, due: due.length, isFull: due.length === DUE_MAX };
}

/** Stores results now and then until all work has ended, then the rest. */
async function settleWhile(work: Promise<unknown>, settle: () => Promise<void>): Promise<void> {
  const ended = work.then(() => true);
  for (let isOver = false; !isOver;) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), SETTLE_EVERY_MS);
    isOver = await Promise.race([ended, promise]).finally(() => clearTimeout(timer));
    await settle();
  }
}

type Sums = {
  readonly counts: { sent: number; failed: number; isGone: boolean };
  readonly results: DeliveryResult[];
};

/** A failure delays the later deliveries of its subject, which stay in the queue. */
async function sendInOrder(
  deliveries: readonly WebhookDelivery[],
  parts: LaneParts,
  { counts, results }: Sums,
): Promise<void> {
  for (const delivery of deliveries) {
    if (parts.signal.aborted || counts.isGone) return;
    const at = parts.now();
    const hidden = await hiddenName(delivery, parts);
    if (hidden !== undefined) {
      results.push(withheldResult(delivery, hidden, at));
      continue;
    }
    const answer = await sendOne(delivery, parts, at);
    // An attempt that was cut from here says nothing about the receiver.
    if (answer.outcome !== "delivered" && parts.signal.aborted) return;
    if (answer.outcome === "delivered") counts.sent += 1;
    else counts.failed += 1;
    if (answer.outcome === "gone") counts.isGone = true;
    results.push(resultOf(delivery, answer, { ...parts, at }));
    if (answer.outcome !== "delivered") return;
  }
}

/** Decided at each attempt, because a name may be hidden while its event waits. */
async function hiddenName(
  { names }: WebhookDelivery,
  { webhook, isHidden }: LaneParts,
): Promise<string | undefined> {
  if (webhook.includesPrivate) return undefined;
  for (const text of names) {
    const name = packageOfSubject(text);
    if (name && (await isHidden(name))) return text;
  }
  return undefined;
}

function withheldResult(
  { id, attempts, log }: WebhookDelivery,
  name: string,
  at: Date,
): DeliveryResult {
  const error = `not sent: ${name} is not public`;
  const attempt: DeliveryAttempt = { at: at.toISOString(), durationMs: 0, error };
  const ended = [...log, attempt].slice(-LOG_MAX);
  return { id, attempts, state: "withheld", nextAt: undefined, log: ended };
}

function sendOne(
  { eventId, type, body }: WebhookDelivery,
  { webhook, secrets, source, post, signal }: LaneParts,
  time: Date,
): Promise<PostAnswer> {
  const id = eventIdOutside(source, eventId);
  const headers = {
    "content-type": CONTENT_TYPES[webhook.format],
    ...messageHeaders({ id, time, type, body, secrets }),
  };
  const fetch = post.fetchFor(webhook);
  return postWebhook({ url: webhook.url, headers, body }, { ...post, fetch, signal });
}

function resultOf(
  { id, attempts, log }: WebhookDelivery,
  answer: PostAnswer,
  { at, now, random }: Pick<LaneParts, "now" | "random"> & { readonly at: Date },
): DeliveryResult {
  const attempt: DeliveryAttempt = {
    at: at.toISOString(),
    durationMs: answer.durationMs,
    ...(answer.status !== undefined && { status: answer.status }),
    ...(answer.outcome === "failed" && { error: answer.error }),
    ...(answer.outcome === "gone" && { error: "answered 410: the subscription is disabled" }),
  };
  const made = { id, attempts: attempts + 1, log: [...log, attempt].slice(-LOG_MAX) };
  if (answer.outcome === "delivered") return { ...made, state: "delivered", nextAt: undefined };
  const retryAfterMs = answer.outcome === "failed" ? answer.retryAfterMs : undefined;
  const nextAt = nextAttempt({ attempts: attempts + 1, now: now(), retryAfterMs, random });
  return { ...made, state: nextAt ? "waiting" : "dead", nextAt };
}

function bySubject(due: readonly WebhookDelivery[]): (readonly WebhookDelivery[])[] {
  return [...Map.groupBy(due, ({ subject }) => subject).values()];
}
