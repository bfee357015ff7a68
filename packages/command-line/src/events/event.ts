import type { ParkedEvent } from "@sealhouse/events";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { limitIn } from "../limit.ts";
import { openRows } from "../open-feed.ts";

export type EventListOptions = Json & { readonly dead?: true; readonly limit: string };

/** Lists events that a consumer could not handle. */
export async function listEvents(command: Command, options: EventListOptions): Promise<number> {
  const limit = limitIn(options.limit);
  await using database = await openRows(command);
  const { parked } = database.events;
  const events = await parked.list({ dead: options.dead ?? false, limit });
  if (options.json) command.stdout(JSON.stringify(events.map(shown), undefined, 2));
  else for (const event of events) command.stdout(lineOf(event));
  if (!options.json && events.length === 0) command.stderr("All events were handled.");
  return 0;
}

/** Lets a running host handle an event again. */
export async function replayEvent(command: Command, id: string): Promise<number> {
  await using database = await openRows(command);
  if ((await database.events.parked.replay(id)) === "absent") throw unknown(id);
  command.stderr(`Event ${id} waits for its next attempt. Hosts make it within seconds.`);
  return 0;
}

export async function removeEvent(command: Command, id: string): Promise<number> {
  await using database = await openRows(command);
  if ((await database.events.parked.remove(id)) === "absent") throw unknown(id);
  command.stderr(`Removed event ${id} from the list. It stays in the audit log.`);
  return 0;
}

function unknown(id: string): CommandError {
  return new CommandError(`There is no event ${id} in the list: sealhouse event list`);
}

function shown({ id, consumer, event, attempts, nextAt, error, parkedAt }: ParkedEvent) {
  return {
    id,
    consumer,
    event: event.id,
    type: event.type,
    subject: event.subject,
    time: event.at.toISOString(),
    status: nextAt ? "waiting" : "dead",
    attempts,
    ...(nextAt && { nextAttempt: nextAt.toISOString() }),
    error,
    parkedAt: parkedAt.toISOString(),
  };
}

function lineOf(parked: ParkedEvent): string {
  const { id, consumer, type, subject, status, nextAttempt, error } = shown(parked);
  const next = nextAttempt === undefined ? [] : [`next attempt ${nextAttempt}`];
  return [id, consumer, type, subject, status, ...next, error].join("  ");
}
