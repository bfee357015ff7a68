import { nextAttempt } from "./backoff.ts";
import type { RegistryEvent } from "./event.ts";
import type { ParkedEvent, ParkedEvents } from "./ports.ts";

/** Parked events of a consumer that are looked at together. While it has more, and keeps an order,
 * it takes no further events. */
const PARKED_MAX = 1_000;
const ERROR_LENGTH_MAX = 2_000;

/** The parts of a consumer that concern parked events. */
type ParkingConsumer = {
  readonly name: string;
  readonly handle: (events: readonly RegistryEvent[]) => Promise<void>;
  readonly orderOf?: ((event: RegistryEvent) => string) | undefined;
};

type Clock = { readonly now: () => Date; readonly random: () => number };

/** Parks an event after its first attempts. */
export async function parkEvent(
  parked: ParkedEvents,
  { name }: Pick<ParkingConsumer, "name">,
  failed: { readonly event: RegistryEvent; readonly error: unknown } & Clock,
): Promise<void> {
  const { event, error, now, random } = failed;
  const nextAt = nextAttempt({ attempts: 1, now: now(), random });
  await parked.park(name, event, { error: textOf(error), nextAt });
}

/**
 * Parks the events whose order would be lost: those with the key of an event that is parked and
 * waits. Returns the others.
 */
export async function parkFollowers(
  parked: ParkedEvents,
  consumer: ParkingConsumer,
  events: readonly RegistryEvent[],
  now: () => Date,
): Promise<readonly RegistryEvent[]> {
  const { name, orderOf } = consumer;
  if (!orderOf) return events;
  const waiting = await parked.waiting(name, PARKED_MAX);
  if (waiting.length === PARKED_MAX) {
    throw new Error(`${PARKED_MAX} events wait for ${name}, which keeps their order`);
  }
  const known = new Set(waiting.map(({ event }) => event.id));
  const keys = new Set(waiting.map(({ event }) => orderOf(event)));
  const isBehind = (event: RegistryEvent) => keys.has(orderOf(event)) && !known.has(event.id);
  for (const event of events.filter(isBehind)) {
    await parked.park(name, event, { error: "waits for an earlier event", nextAt: now() });
  }
  return events.filter((event) => !keys.has(orderOf(event)));
}

/** Tries the parked events of a consumer again that are due, each alone. */
export async function retryParked(
  parked: ParkedEvents,
  consumer: ParkingConsumer,
  { now, random, stopped }: Clock & { readonly stopped: AbortSignal },
): Promise<void> {
  const { name, handle, orderOf } = consumer;
  const blocked = new Set<string>();
  for (const row of await parked.waiting(name, PARKED_MAX)) {
    if (stopped.aborted) return;
    const key = orderOf?.(row.event);
    if (key !== undefined && blocked.has(key)) continue;
    const isTaken = isDue(row, now()) && (await retryOne(parked, handle, { row, now, random }));
    if (!isTaken && key !== undefined) blocked.add(key);
  }
}

function isDue({ nextAt }: ParkedEvent, now: Date): boolean {
  return nextAt !== undefined && nextAt <= now;
}

/** A kill during the attempt leaves the next one, which the claim has stored. */
async function retryOne(
  parked: ParkedEvents,
  handle: ParkingConsumer["handle"],
  { row, now, random }: Clock & { readonly row: ParkedEvent },
): Promise<boolean> {
  // The attempt of the parking counts, too.
  const attempts = row.attempts + 2;
  const nextAt = nextAttempt({ attempts, now: now(), random });
  if (!(await parked.claim(row, nextAt ?? now()))) return false;
  try {
    await handle([row.event]);
  } catch (error) {
    await parked.fail(row.id, { error: textOf(error), nextAt });
    return false;
  }
  await parked.remove(row.id);
  return true;
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll("\0", "\u{fffd}").slice(0, ERROR_LENGTH_MAX);
}
