import { pause, runLeased } from "@sealhouse/jobs";
import type { Leases } from "@sealhouse/jobs";
import { SYSTEM } from "../event.ts";
import { runLane } from "./lane.ts";
import type { LaneParts } from "./lane.ts";
import type { DeliveryQueue, WebhookRows } from "./ports.ts";
import type { WebhookRow } from "./webhook.ts";
import { secretsOf } from "./webhook-secrets.ts";
import type { SecretKeeper } from "./webhook-secrets.ts";

/** Milliseconds for which a killed instance keeps others from a queue. */
const LEASE_MS = 10_000;
/** Milliseconds after which another instance may take a busy queue over. */
const TURN_MS = 5_000;
/** Milliseconds in which further deliveries join a turn. */
const GATHER_MS = 150;
/** Milliseconds for which a queue rests after a failure of the registry, such as a lost key. */
const BLOCKED_MS = 30_000;

/** Parts of `openWebhookSender`. */
export type WebhookSenderParts = Pick<LaneParts, "source" | "isHidden" | "post" | "now"> & {
  readonly rows: WebhookRows;
  readonly queue: DeliveryQueue;
  readonly leases: Leases;
  readonly keyRing: Pick<SecretKeeper, "unprotect">;
  /** Milliseconds between checks for deliveries. Default 2 s. */
  readonly pollMs?: number;
  readonly random?: () => number;
  /** Receives failures of the registry itself, not those of receivers. Must not throw. */
  readonly onError: (failure: { readonly webhookId?: string; readonly error: unknown }) => void;
};

/** Sends deliveries until disposal, which cuts running requests; those are made again. */
export interface WebhookSender extends AsyncDisposable {
  /** Checks for deliveries now. */
  wake(): void;
  /** Attempts of this process. */
  attempts(): { readonly sent: number; readonly failed: number };
}

/**
 * Opens the sending of webhooks. Each subscription has its own queue, which one instance sends at a
 * time, so that a slow receiver delays no other.
 */
export function openWebhookSender(parts: WebhookSenderParts): WebhookSender {
  const { queue, now, pollMs = 2_000, onError } = parts;
  const stopped = new AbortController();
  const running = new Map<string, Promise<void>>();
  const blockedUntil = new Map<string, number>();
  const counts = { sent: 0, failed: 0 };
  const alarm = createAlarm();
  const fail = (id: string, error: unknown) => {
    if (stopped.signal.aborted) return;
    blockedUntil.set(id, performance.now() + BLOCKED_MS);
    onError({ webhookId: id, error });
  };
  const begin = (id: string) => {
    const turn = takeTurn(id, parts, { signal: stopped.signal, counts })
      .catch((error: unknown) => fail(id, error))
      .then((status) => {
        running.delete(id);
        // Deliveries may have come at its end.
        if (status === "ended") alarm.ring();
      });
    running.set(id, turn);
  };
  const isFree = (id: string) =>
    !running.has(id) && performance.now() >= (blockedUntil.get(id) ?? 0);
  const loop = async () => {
    while (!stopped.signal.aborted) {
      alarm.reset();
      try {
        const due = await queue.dueWebhooks(now());
        due.filter(isFree).forEach(begin);
      } catch (error) {
        if (!stopped.signal.aborted) onError({ error });
      }
      await alarm.wait(pollMs);
    }
  };
  const looping = loop();
  return {
    wake: () => alarm.ring(),
    attempts: () => ({ ...counts }),
    async [Symbol.asyncDispose]() {
      stopped.abort();
      alarm.ring();
      await looping;
      await Promise.all(running.values());
    },
  };
}

/** A signal that is not lost between two waits. */
function createAlarm() {
  let isRung = false;
  let wakeUp: () => void = () => undefined;
  return {
    ring() {
      isRung = true;
      wakeUp();
    },
    reset: () => void (isRung = false),
    async wait(ms: number): Promise<void> {
      if (isRung) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      wakeUp = resolve;
      await promise;
      clearTimeout(timer);
    },
  };
}

type Turn = {
  readonly signal: AbortSignal;
  readonly counts: { sent: number; failed: number };
};

/** Sends batches of one subscription for a while. `busy`: another instance does. */
async function takeTurn(
  id: string,
  parts: WebhookSenderParts,
  turn: Turn,
): Promise<"ended" | "busy"> {
  const lease = { name: `webhook/${id}`, leaseMs: LEASE_MS, signal: turn.signal };
  const { status } = await runLeased(parts.leases, lease, async (signal) => {
    const until = performance.now() + TURN_MS;
    while (!signal.aborted && performance.now() < until) {
      const webhook = (await parts.rows.list()).find((row) => row.id === id);
      if (!webhook?.isEnabled) return;
      const next = await sendBatch(webhook, parts, { ...turn, signal });
      if (next === "ended") return;
      // Events come in a row: waiting for them costs less than another turn.
      if (next === "wait") await pause(GATHER_MS, signal);
    }
  });
  return status;
}

async function sendBatch(
  webhook: WebhookRow,
  parts: WebhookSenderParts,
  { signal, counts }: Turn,
): Promise<"more" | "wait" | "ended"> {
  const { rows, queue, source, isHidden, post, keyRing, now, random = Math.random } = parts;
  const secrets = await secretsOf(webhook, keyRing, now());
  const lane = { webhook, secrets, queue, source, isHidden, post, now, random, signal };
  const { sent, failed, due, isGone, isFull } = await runLane(lane);
  counts.sent += sent;
  counts.failed += failed;
  if (isGone) {
    const reason = "the receiver answered 410 Gone";
    const disabled = { ...webhook, isEnabled: false, reason };
    await rows.put(disabled, { caller: SYSTEM, what: "disabled" });
  }
  if (isGone || due === 0) return "ended";
  return isFull ? "more" : "wait";
}
