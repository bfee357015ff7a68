import { randomUUID } from "node:crypto";
import { OFFER_DAYS_MAX, OWNERS_OF_NAME_MAX, parseOfferEnd } from "@sealhouse/identity";
import type { Transfer, TransferOutcome } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict, RefusedActionError } from "../refusal.ts";
import {
  HANDLE,
  LEVEL,
  NAME_FIELDS,
  nameIn,
  OWNER,
  PROTOCOL,
  readText,
  requireOwner,
} from "./name-fields.ts";

const SCOPE = "people:write";
const ON_PAGE = { page: "/manage/{protocol}/{name}" };

const TRANSFER = z
  .strictObject({
    id: z.uuid(),
    name: z.strictObject({ protocol: PROTOCOL, name: z.string() }),
    fromId: z.string().optional().describe("The owner that loses its right."),
    to: OWNER,
    level: z.enum(["read", "publish", "manage"]),
    createdAt: z.iso.datetime(),
    createdBy: z.string(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: "Transfer", title: "An offer of a right on a name" });

/** An offer as the API and commands show it. */
export type ShownTransfer = z.output<typeof TRANSFER>;

const OFFERED = z.strictObject({
  id: z.uuid(),
  protocol: PROTOCOL,
  name: z.string(),
  to: z.string(),
  level: z.string(),
  expiresAt: z.iso.datetime(),
});

/** An offer that was made. */
export type OfferedTransfer = z.output<typeof OFFERED>;

const offerTransfer = defineAction({
  id: "transfers.offer",
  summary: "offer a right on a name; it moves when the other side accepts",
  scope: SCOPE,
  method: "POST",
  path: "/transfers",
  command: "transfer offer <protocol> <name> <handle>",
  form: ON_PAGE,
  input: z.strictObject({
    ...NAME_FIELDS,
    handle: HANDLE,
    from: field(
      z.string().max(64).optional(),
      "From",
      "The owner that loses its right. Default: none.",
      { option: "--from <handle>" },
    ),
    level: LEVEL,
    expires: field(
      z.string().max(40).default("14d"),
      "Ends",
      "A span (14d) or a date, at most 30d.",
      { option: "--expires <when>" },
    ),
  }),
  output: OFFERED,
  refusals: ["absent", "exists"],
  lasting: "change-owners",
  async run({ input, parts, caller, now }) {
    const { level } = input;
    const name = nameIn(input);
    const expiresAt = readText(() => parseOfferEnd(input.expires, now));
    if (!expiresAt) {
      const words = `An offer must end within ${OFFER_DAYS_MAX} days: use a span, such as 14d.`;
      throw new RefusedActionError("invalid", words);
    }
    const rows = await parts.names();
    const to = await requireOwner(rows, input.handle);
    const from = input.from === undefined ? undefined : await requireOwner(rows, input.from);
    const id = randomUUID();
    const offer = { id, name, toId: to.id, level, expiresAt, ...(from && { fromId: from.id }) };
    if ((await rows.ownership.transfers.offer(offer, caller)) === "present") {
      const words = `${to.handle} has an open offer of ${input.name} already`;
      throw new RefusedActionError("exists", `${words}: sealhouse transfer list`);
    }
    return { id, ...name, to: to.handle, level, expiresAt: expiresAt.toISOString() };
  },
});

const listTransfers = defineAction({
  id: "transfers.list",
  summary: "list open offers",
  scope: SCOPE,
  method: "GET",
  path: "/transfers",
  command: "transfer list",
  form: ON_PAGE,
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(TRANSFER),
  refusals: [],
  async run({ input, parts }) {
    const { ownership } = await parts.names();
    const transfers = (await ownership.transfers.list()).map(shownTransfer);
    return pageOf(transfers, input, ({ createdAt, id }) => `${createdAt} ${id}`);
  },
});

const ID = field(z.string().max(64), "Offer", "The id of the offer.");

const showTransfer = defineAction({
  id: "transfers.show",
  summary: "show an open offer",
  scope: SCOPE,
  method: "GET",
  path: "/transfers/{id}",
  command: "transfer show <id>",
  form: ON_PAGE,
  input: z.strictObject({ id: ID }),
  output: TRANSFER,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    const { ownership } = await parts.names();
    const transfer = (await ownership.transfers.list()).find((one) => one.id === id);
    if (!transfer) throw absent(`There is no offer ${id}.`);
    return shownTransfer(transfer);
  },
});

const DECIDED = z.strictObject({
  id: z.string(),
  decision: z.enum(["accepted", "declined", "withdrawn"]),
  outcome: z.literal("done"),
});

/** The end of an offer. */
export type DecidedTransfer = z.output<typeof DECIDED>;

const acceptTransfer = defineAction({
  id: "transfers.accept",
  summary: "accept an offer for the other side",
  scope: SCOPE,
  method: "POST",
  path: "/transfers/{id}/accept",
  command: "transfer accept <id>",
  form: { page: "/account/names" },
  input: z.strictObject({ id: ID }),
  output: DECIDED,
  refusals: ["absent", "conflict"],
  lasting: "change-owners",
  changes: "transfers.show",
  async run({ input: { id }, parts, caller }) {
    const { ownership } = await parts.names();
    return decided(id, "accepted", await ownership.transfers.accept(id, caller));
  },
});

const declineTransfer = defineAction({
  id: "transfers.decline",
  summary: "decline an offer for the other side, or withdraw it",
  scope: SCOPE,
  method: "POST",
  path: "/transfers/{id}/decline",
  command: "transfer decline <id>",
  form: { page: "/account/names" },
  input: z.strictObject({
    id: ID,
    withdraw: field(z.boolean().default(false), "Withdraw", "Withdraw it for the sender."),
  }),
  output: DECIDED,
  refusals: ["absent", "conflict"],
  lasting: "change-owners",
  changes: "transfers.show",
  async run({ input: { id, withdraw }, parts, caller }) {
    const { ownership } = await parts.names();
    const as = withdraw ? "withdrawn" : "declined";
    return decided(id, as, await ownership.transfers.decline(id, as, caller));
  },
});

/** Offers of rights on names. */
export const TRANSFER_ACTIONS = [
  offerTransfer,
  listTransfers,
  showTransfer,
  acceptTransfer,
  declineTransfer,
];

/** @throws RefusedActionError */
function decided(
  id: string,
  decision: DecidedTransfer["decision"],
  outcome: TransferOutcome,
): DecidedTransfer {
  switch (outcome) {
    case "done":
      return { id, decision, outcome };
    case "absent":
      throw absent(`There is no offer ${id}.`);
    case "full":
      throw conflict(
        `The offer ${id} stays open: its name has ${OWNERS_OF_NAME_MAX} owners, ` +
          "the most for one name.",
      );
    case "ended":
      throw conflict(
        `The offer ${id} has expired, was decided before, or its sender lost the right.`,
      );
  }
}

function shownTransfer({ createdAt, expiresAt, name, to, ...transfer }: Transfer): ShownTransfer {
  const { id, fromId, level, createdBy } = transfer;
  return {
    id,
    name: { ...name },
    ...(fromId !== undefined && { fromId }),
    to: { id: to.id, kind: to.kind, handle: to.handle },
    level,
    createdAt: createdAt.toISOString(),
    createdBy,
    expiresAt: expiresAt.toISOString(),
  };
}
