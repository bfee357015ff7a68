import { parseReservedPattern, reservedPatternText } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { protocolIn } from "../sources/protocol-in.ts";
import { openOwners, requireOwner } from "./owner.ts";

export type ReserveOptions = { readonly shared?: true; readonly delegatedFrom?: string };

type NewReservationWords = Json &
  ReserveOptions & {
    readonly protocol: string;
    readonly pattern: string;
    readonly handle: string;
  };

export async function addReservation(
  command: Command,
  options: NewReservationWords,
): Promise<number> {
  const pattern = parseReservedPattern(protocolIn(options.protocol), options.pattern);
  await using database = await openOwners(command);
  const owner = await requireOwner(database, options.handle);
  const from = options.delegatedFrom;
  const delegatedFrom = from === undefined ? undefined : await requireOwner(database, from);
  const outcome = await database.ownership.reservations.add(
    {
      ...pattern,
      owner,
      isShared: options.shared ?? false,
      ...(delegatedFrom && { delegatedFrom: delegatedFrom.id }),
    },
    operator(),
  );
  if (outcome === "outside") {
    throw new CommandError(
      `No reservation of ${from} covers ${options.pattern}: sealhouse reserve list`,
    );
  }
  const { handle } = owner;
  if (options.json) command.stdout(JSON.stringify({ ...pattern, handle, outcome }));
  else if (outcome === "present") command.stderr(`${options.pattern} is reserved for ${handle}.`);
  else command.stderr(`${options.pattern} is now reserved for ${handle}.`);
  return 0;
}

export async function listReservations(command: Command, { json }: Json): Promise<number> {
  await using database = await openOwners(command);
  const reservations = await database.ownership.reservations.list();
  if (json) {
    command.stdout(JSON.stringify(reservations, undefined, 2));
    return 0;
  }
  if (reservations.length === 0) command.stderr("No names are reserved.");
  for (const reservation of reservations) {
    const { id, protocol, owner, isShared } = reservation;
    const form = reservedPatternText(reservation);
    const shared = isShared ? ["shared"] : [];
    command.stdout([String(id), protocol, form, owner.handle, ...shared].join("  "));
  }
  return 0;
}

export async function removeReservation(
  command: Command,
  id: string,
  { json }: Json,
): Promise<number> {
  if (!/^\d{1,15}$/.test(id)) {
    throw new CommandError(`"${id}" is not the number of a reservation: sealhouse reserve list`);
  }
  await using database = await openOwners(command);
  const [removed, ...others] = await database.ownership.reservations.remove(Number(id), operator());
  const outcome = removed ? "removed" : "absent";
  if (json) command.stdout(JSON.stringify({ id: Number(id), outcome, alsoRemoved: others }));
  else if (outcome === "absent") command.stderr(`There is no reservation ${id}.`);
  else command.stderr(`Removed the reservation ${id}.`);
  for (const other of json ? [] : others) {
    const form = reservedPatternText(other);
    command.stderr(`Also removed ${form} of ${other.handle}, which was passed on from it.`);
  }
  return outcome === "absent" ? 1 : 0;
}
