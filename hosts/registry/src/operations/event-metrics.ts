import type { EventNumbers } from "@sealhouse/events";
import type { Registry } from "prom-client";

/** Numbers about events on their way out. */
export type EventSums = {
  /** Undefined while they are not known. */
  readonly numbers: () => EventNumbers | undefined;
  readonly attempts: () => { readonly sent: number; readonly failed: number };
};

/** Adds the metrics of webhooks, mail and parked events. */
export async function addEventMetrics(
  registry: Registry,
  feed: string,
  { numbers, attempts }: EventSums,
): Promise<void> {
  const { Counter, Gauge } = await import("prom-client");
  const registers = [registry];
  const made = new Counter({ ...ATTEMPTS, labelNames: ["feed", "outcome"], registers });
  const { sent, failed } = attempts();
  made.inc({ feed, outcome: "delivered" }, sent);
  made.inc({ feed, outcome: "failed" }, failed);
  const known = numbers();
  if (!known) return;
  const labelNames = ["feed", "queue"] as const;
  const waiting = new Gauge({ ...WAITING, labelNames, registers });
  const dead = new Gauge({ ...DEAD, labelNames, registers });
  for (const [queue, count] of Object.entries(known.queues)) {
    waiting.set({ feed, queue }, count.waiting);
    dead.set({ feed, queue }, count.dead);
  }
}

const ATTEMPTS = {
  name: "webhook_attempts_total",
  help: "Attempts of this process to deliver an event to a webhook",
};
const WAITING = { name: "event_queue_length", help: "Events that wait in a queue" };
const DEAD = {
  name: "event_dead_letters",
  help: "Events that are not tried again: of the last day, of parked events all",
};
