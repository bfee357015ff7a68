import type { ParkedEvent } from "@sealhouse/events";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { newestFields, newestPage, newestWithId, pageSchema } from "../paging.ts";
import { absent } from "../refusal.ts";

const PARKED = z
  .strictObject({
    id: z.string(),
    consumer: z.string().describe("The part of the registry that could not handle the event."),
    event: z.string().describe("The id of the event."),
    type: z.string(),
    subject: z.string(),
    time: z.iso.datetime(),
    status: z.enum(["waiting", "dead"]).describe("dead: it is not tried again."),
    attempts: z.int(),
    nextAttempt: z.iso.datetime().optional(),
    error: z.string(),
    parkedAt: z.iso.datetime(),
  })
  .meta({ id: "ParkedEvent", title: "An event that could not be handled" });

/** An event that could not be handled, as the API and commands show it. */
export type ShownParked = z.output<typeof PARKED>;

const ID = field(z.string().max(20), "Event", "The number of the event in the list.");
const NO_PAGE = { none: "It concerns operators who look for a fault, and has no page yet." };

const listEvents = defineAction({
  id: "events.list",
  summary: "list events that could not be handled, the newest first",
  scope: "audit:read",
  method: "GET",
  path: "/events",
  command: "event list",
  form: NO_PAGE,
  input: z.strictObject({
    dead: field(z.boolean().optional(), "Only dead ones", "Only those that are not tried again."),
    ...newestFields({ max: 1_000, fallback: 100, items: "events" }),
  }),
  output: pageSchema(PARKED),
  refusals: [],
  async run({ input: { dead = false, ...place }, parts }) {
    const { parked } = await parts.events();
    const page = await newestPage(place, (from) => parked.list({ dead, ...from }));
    return { ...page, items: page.items.map(shownParked) };
  },
});

const showEvent = defineAction({
  id: "events.show",
  summary: "show an event that could not be handled",
  scope: "audit:read",
  method: "GET",
  path: "/events/{id}",
  command: "event show <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: PARKED,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    const { parked } = await parts.events();
    const event = await newestWithId(id, (from) => parked.list({ dead: false, ...from }));
    if (!event) throw unknownEvent(id);
    return shownParked(event);
  },
});

const replayEvent = defineAction({
  id: "events.replay",
  summary: "handle an event again",
  scope: "targets:write",
  method: "POST",
  path: "/events/{id}/replay",
  command: "event replay <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: z.strictObject({ id: z.string() }),
  refusals: ["absent"],
  lasting: "change-webhooks",
  changes: "events.show",
  async run({ input: { id }, parts }) {
    const { parked } = await parts.events();
    if ((await parked.replay(id)) === "absent") throw unknownEvent(id);
    return { id };
  },
});

const removeEvent = defineAction({
  id: "events.remove",
  summary: "remove an event from the list",
  scope: "targets:write",
  method: "DELETE",
  path: "/events/{id}",
  command: "event remove <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: z.strictObject({ id: z.string() }),
  refusals: ["absent"],
  lasting: "change-webhooks",
  changes: "events.show",
  // Its consumer never gets the event, and the consumer may be the audit log.
  needsAdmin: () => true,
  async run({ input: { id }, parts }) {
    const { parked } = await parts.events();
    if ((await parked.remove(id)) === "absent") throw unknownEvent(id);
    return { id };
  },
});

/** Events that parts of the registry could not handle. */
export const EVENT_ACTIONS = [listEvents, showEvent, replayEvent, removeEvent];

function unknownEvent(id: string) {
  return absent(`There is no event ${id} in the list: sealhouse event list`);
}

function shownParked(row: ParkedEvent): ShownParked {
  const { id, consumer, event, attempts, nextAt, error, parkedAt } = row;
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
