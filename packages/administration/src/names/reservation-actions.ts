import { parseReservedPattern } from "@sealhouse/identity";
import type { Reservation } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict } from "../refusal.ts";
import { HANDLE, NAME_FIELDS, OWNER, PROTOCOL, readText, requireOwner } from "./name-fields.ts";

const SCOPE = "people:write";
const NO_PAGE = { none: "The page of reserved names does not exist yet." };

const PATTERN = z.strictObject({
  protocol: PROTOCOL,
  pattern: z.string(),
  isPrefix: z.boolean().describe("It covers all names that begin with the pattern."),
});

const RESERVATION = z
  .strictObject({
    id: z.int(),
    ...PATTERN.shape,
    owner: OWNER,
    isShared: z.boolean().describe("Others may publish below it, too."),
    delegatedFrom: z.string().optional().describe("The owner of a wider reservation."),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "Reservation", title: "A name, or the beginning of names, kept for an owner" });

/** A reservation as the API and commands show it. */
export type ShownReservation = z.output<typeof RESERVATION>;

const ADDED = PATTERN.extend({ handle: z.string(), outcome: z.enum(["added", "present"]) });

/** A reservation that was added, or existed. */
export type AddedReservation = z.output<typeof ADDED>;

const addReservation = defineAction({
  id: "reservations.add",
  summary: "reserve a name or a prefix (Acme.*, @acme/*, team/app/**) for an owner",
  scope: SCOPE,
  method: "POST",
  path: "/reservations",
  command: "reserve add <protocol> <pattern> <handle>",
  form: NO_PAGE,
  input: z.strictObject({
    protocol: NAME_FIELDS.protocol,
    pattern: field(z.string().max(256), "Name", "A name, or a prefix such as Acme.*."),
    handle: HANDLE,
    shared: field(
      z.boolean().default(false),
      "Shared",
      "Let others publish new names below the prefix, too.",
    ),
    delegatedFrom: field(
      z.string().max(64).optional(),
      "Passed on by",
      "The owner of a wider reservation that passes it on.",
      { option: "--delegated-from <handle>" },
    ),
  }),
  output: ADDED,
  refusals: ["absent", "conflict"],
  lasting: "change-reservations",
  async run({ input, parts, caller }) {
    const pattern = readText(() => parseReservedPattern(input.protocol, input.pattern));
    const rows = await parts.names();
    const owner = await requireOwner(rows, input.handle);
    const from = input.delegatedFrom;
    const delegatedFrom = from === undefined ? undefined : (await requireOwner(rows, from)).id;
    const reservation = {
      ...pattern,
      owner,
      isShared: input.shared,
      ...(delegatedFrom !== undefined && { delegatedFrom }),
    };
    const outcome = await rows.ownership.reservations.add(reservation, caller);
    if (outcome === "outside") {
      const words = `No reservation of ${from} covers ${input.pattern}`;
      throw conflict(`${words}: sealhouse reserve list`);
    }
    return { ...pattern, handle: owner.handle, outcome };
  },
});

const listReservations = defineAction({
  id: "reservations.list",
  summary: "list reserved names and prefixes",
  scope: SCOPE,
  method: "GET",
  path: "/reservations",
  command: "reserve list",
  form: NO_PAGE,
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(RESERVATION),
  refusals: [],
  async run({ input, parts }) {
    const { ownership } = await parts.names();
    const rows = (await ownership.reservations.list()).map(shownReservation);
    const keyOf = ({ protocol, pattern, id }: ShownReservation) => `${protocol} ${pattern} ${id}`;
    return pageOf(rows, input, keyOf);
  },
});

const NUMBER = "must be the number of a reservation: sealhouse reserve list";
const ID = field(
  z.string().regex(/^\d{1,15}$/, NUMBER),
  "Reservation",
  "The number of the reservation.",
);

const showReservation = defineAction({
  id: "reservations.show",
  summary: "show a reservation, by its number in the list",
  scope: SCOPE,
  method: "GET",
  path: "/reservations/{id}",
  command: "reserve show <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: RESERVATION,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    const { ownership } = await parts.names();
    const row = (await ownership.reservations.list()).find((one) => one.id === Number(id));
    if (!row) throw absent(`There is no reservation ${id}.`);
    return shownReservation(row);
  },
});

const REMOVED = z.strictObject({
  id: z.int(),
  outcome: z.literal("removed"),
  alsoRemoved: z
    .array(PATTERN.extend({ id: z.int(), handle: z.string() }))
    .describe("Reservations that were passed on from it."),
});

/** Reservations that were removed. */
export type RemovedReservations = z.output<typeof REMOVED>;

const removeReservation = defineAction({
  id: "reservations.remove",
  summary: "remove a reservation, by its number in the list",
  scope: SCOPE,
  method: "DELETE",
  path: "/reservations/{id}",
  command: "reserve remove <id>",
  form: NO_PAGE,
  input: z.strictObject({ id: ID }),
  output: REMOVED,
  refusals: ["absent"],
  lasting: "change-reservations",
  changes: "reservations.show",
  async run({ input: { id }, parts, caller }) {
    const { ownership } = await parts.names();
    const [removed, ...others] = await ownership.reservations.remove(Number(id), caller);
    if (!removed) throw absent(`There is no reservation ${id}.`);
    return { id: Number(id), outcome: "removed" as const, alsoRemoved: others };
  },
});

/** Names that are kept for owners. */
export const RESERVATION_ACTIONS = [
  addReservation,
  listReservations,
  showReservation,
  removeReservation,
];

function shownReservation({ owner, createdAt, ...row }: Reservation): ShownReservation {
  const { id, protocol, pattern, isPrefix, isShared, delegatedFrom } = row;
  return {
    id,
    protocol,
    pattern,
    isPrefix,
    owner: { id: owner.id, kind: owner.kind, handle: owner.handle },
    isShared,
    ...(delegatedFrom !== undefined && { delegatedFrom }),
    createdAt: createdAt.toISOString(),
  };
}
