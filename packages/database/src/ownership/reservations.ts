import { PROTOCOLS, endedDelegations, mayDelegate } from "@sealhouse/identity";
import type {
  NewReservation,
  RemovedReservation,
  Reservation,
  Reservations,
} from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { memberOf } from "../identity/token-rows.ts";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { handleOf, ownerIn } from "./owner-rows.ts";

const PATTERN = { protocol: param.text(NAME_LENGTH.protocol), pattern: param.text(255) };
const OWNER = { ownerId: param.text(36) };

const LIST = defineStatement("reservations", {}, (db) =>
  db
    .selectFrom("reserved_names as r")
    .leftJoin("host_owner_names as n", "n.owner_id", "r.owner_id")
    .select(["r.id", "r.protocol", "r.pattern", "r.is_prefix", "r.owner_id", "r.owner_kind"])
    .select(["r.shared", "r.delegated_from", "r.created_at", "n.name"])
    .orderBy("r.protocol")
    .orderBy("r.pattern")
    .orderBy("r.id"),
);
const INSERT = defineStatement(
  "reservation-insert",
  {
    ...PATTERN,
    ...OWNER,
    isPrefix: param.flag,
    ownerKind: param.text(16),
    shared: param.flag,
    delegatedFrom: param.optional(param.text(36)),
    createdAt: param.time,
    createdBy: param.text(NAME_LENGTH.actor),
  },
  (db, parameters) => db.insertInto("reserved_names").values(inColumns(parameters)),
);
const OF_PROTOCOL = defineStatement(
  "reservations-of-protocol",
  { protocol: param.text(NAME_LENGTH.protocol) },
  (db, { protocol }) =>
    db
      .selectFrom("reserved_names")
      .where("protocol", "=", protocol)
      .select(["id", "pattern", "is_prefix", "owner_id", "delegated_from"]),
);
const PROTOCOL_OF = defineStatement("reservation-protocol", { id: param.whole }, (db, { id }) =>
  db.selectFrom("reserved_names").where("id", "=", id).select("protocol"),
);
const DROP = defineStatement("reservation-drop", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("reserved_names").where("id", "=", id),
);

export function createReservations({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): Reservations {
  return {
    list: async () => (await queries.all(LIST, {})).map(reservationOf),
    add: (reservation, by) =>
      changes.transaction((unit) => addReservation(changes, unit, { reservation, by })),
    remove: (id, by) => changes.transaction((unit) => removeReservation(changes, unit, { id, by })),
  };
}

/** Removes a reservation, and then what was passed on from it. */
async function removeReservation(
  changes: Changes,
  unit: Unit,
  { id, by }: { readonly id: number; readonly by: Caller },
): Promise<readonly RemovedReservation[]> {
  const row = await unit.queries.one(PROTOCOL_OF, { id });
  if (!row) return [];
  const protocol = memberOf("protocol", row.protocol, PROTOCOLS);
  const present = await holdReservations(changes, unit, protocol);
  const named = present.find((reservation) => reservation.id === id);
  if (!named) return [];
  const removed: RemovedReservation[] = [];
  for (const { owner, ...reservation } of [named, ...endedDelegations(present, named)]) {
    await unit.queries.run(DROP, { id: reservation.id });
    const handle = await handleOf(unit, owner.id);
    await announce(changes, unit, { ...reservation, change: "removed", owner: handle, by });
    removed.push({ ...reservation, handle });
  }
  return removed;
}

/** Reads the reservations of a protocol; changes of them wait for each other. */
async function holdReservations(
  changes: Changes,
  unit: Unit,
  protocol: Reservation["protocol"],
): Promise<readonly HeldReservation[]> {
  await changes.stale(unit, `reserved/${protocol}`);
  const rows = await unit.queries.all(OF_PROTOCOL, { protocol });
  return rows.map(
    ({ id, pattern, is_prefix: isPrefix, owner_id: ownerId, delegated_from: from }) => ({
      id,
      protocol,
      pattern,
      isPrefix,
      owner: { id: ownerId },
      ...(from !== null && { delegatedFrom: from }),
    }),
  );
}

type HeldReservation = Pick<
  Reservation,
  "id" | "protocol" | "pattern" | "isPrefix" | "delegatedFrom"
> & { readonly owner: Pick<Reservation["owner"], "id"> };

async function addReservation(
  changes: Changes,
  unit: Unit,
  { reservation, by }: { readonly reservation: NewReservation; readonly by: Caller },
): Promise<"added" | "present" | "outside"> {
  const { protocol, pattern, isPrefix, isShared, delegatedFrom, owner } = reservation;
  const present = await holdReservations(changes, unit, protocol);
  if (present.some((other) => other.pattern === pattern && other.owner.id === owner.id)) {
    return "present";
  }
  if (delegatedFrom !== undefined && !mayDelegate(present, reservation)) return "outside";
  await unit.queries.run(INSERT, {
    protocol,
    pattern,
    isPrefix,
    ownerId: owner.id,
    ownerKind: owner.kind,
    shared: isShared,
    delegatedFrom,
    createdAt: changes.now(),
    createdBy: storableText(by.actor).slice(0, NAME_LENGTH.actor),
  });
  const handle = await handleOf(unit, owner.id);
  const announced = { protocol, pattern, isPrefix, owner: handle, by };
  await announce(changes, unit, { ...announced, change: "added" });
  return "added";
}

function announce(
  changes: Changes,
  unit: Unit,
  what: {
    readonly protocol: string;
    readonly pattern: string;
    readonly isPrefix: boolean;
    readonly change: "added" | "removed";
    readonly owner: string;
    readonly by: Caller;
  },
): Promise<void> {
  const { protocol, pattern, isPrefix, change, owner, by: caller } = what;
  return changes.event(unit, {
    type: "reservation.changed",
    subject: `${protocol}/${pattern}${isPrefix ? "*" : ""}`,
    caller,
    detail: { change, owner },
  });
}

function reservationOf(row: RowOf<typeof LIST>): Reservation {
  return {
    id: row.id,
    protocol: memberOf("protocol", row.protocol, PROTOCOLS),
    pattern: row.pattern,
    isPrefix: row.is_prefix,
    owner: ownerIn({ ...row, kind: row.owner_kind, name: row.name ?? row.owner_id }),
    isShared: row.shared,
    ...(row.delegated_from !== null && { delegatedFrom: row.delegated_from }),
    createdAt: row.created_at,
  };
}
