import { randomUUID } from "node:crypto";
import { OFFER_DAYS_MAX, OWNERS_OF_NAME_MAX, parseOfferEnd } from "@sealhouse/identity";
import type { TransferOutcome } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { levelIn, nameIn, requireOwner } from "./owner.ts";
import type { NameWords } from "./owner.ts";
import { openRows } from "../open-feed.ts";

export type OfferOptions = {
  readonly from?: string;
  readonly level: string;
  readonly expires: string;
};

export async function offerTransfer(
  command: Command,
  options: NameWords & Json & OfferOptions & { readonly handle: string },
): Promise<number> {
  const name = nameIn(options);
  const level = levelIn(options.level);
  const expiresAt = parseOfferEnd(options.expires, new Date());
  if (!expiresAt) {
    throw new CommandError(
      `An offer must end within ${OFFER_DAYS_MAX} days: use a span, such as 14d.`,
    );
  }
  await using database = await openRows(command);
  const to = await requireOwner(database, options.handle);
  const from = options.from === undefined ? undefined : await requireOwner(database, options.from);
  const id = randomUUID();
  const outcome = await database.ownership.transfers.offer(
    { id, name, toId: to.id, level, expiresAt, ...(from && { fromId: from.id }) },
    operator(),
  );
  if (outcome === "present") {
    throw new CommandError(
      `${to.handle} has an open offer of ${options.name} already: sealhouse transfer list`,
    );
  }
  if (options.json) command.stdout(JSON.stringify({ id, ...name, to: to.handle, level }));
  else {
    command.stderr(`Offered ${options.name} to ${to.handle} until ${expiresAt.toISOString()}.`);
    command.stderr(`The other side accepts it with: sealhouse transfer accept ${id}`);
    command.stdout(id);
  }
  return 0;
}

export async function listTransfers(command: Command, { json }: Json): Promise<number> {
  await using database = await openRows(command);
  const transfers = await database.ownership.transfers.list();
  if (json) {
    command.stdout(JSON.stringify(transfers, undefined, 2));
    return 0;
  }
  if (transfers.length === 0) command.stderr("No offer is open.");
  for (const { id, name, to, level, expiresAt } of transfers) {
    const end = `expires ${expiresAt.toISOString().slice(0, 10)}`;
    command.stdout([id, name.protocol, name.name, `to ${to.handle}`, level, end].join("  "));
  }
  return 0;
}

/** Accepts an offer; declines or withdraws it with `as`. */
export async function decideTransfer(
  command: Command,
  id: string,
  { json, as }: Json & { readonly as?: "declined" | "withdrawn" },
): Promise<number> {
  await using database = await openRows(command);
  const { transfers } = database.ownership;
  const outcome = as
    ? await transfers.decline(id, as, operator())
    : await transfers.accept(id, operator());
  const decision = as ?? "accepted";
  if (json) command.stdout(JSON.stringify({ id, decision, outcome }));
  else command.stderr(SENTENCES[outcome](id, decision));
  return outcome === "done" ? 0 : 1;
}

const SENTENCES: Readonly<Record<TransferOutcome, (id: string, decision: string) => string>> = {
  done: (id, decision) => `The offer ${id} is ${decision}.`,
  full: (id) =>
    `The offer ${id} stays open: its name has ${OWNERS_OF_NAME_MAX} owners, the most for one name.`,
  absent: (id) => `There is no offer ${id}.`,
  ended: (id) => `The offer ${id} has expired, was decided before, or its sender lost the right.`,
};
