import { PROTOCOLS } from "@sealhouse/identity";
import type { NewReservation, Reservation, Reservations } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { memberOf } from "../identity/token-rows.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
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
const FIND = defineStatement(
  "reservation-of-owner",
  { ...PATTERN, ...OWNER },
  (db, { protocol, pattern, ownerId }) =>
    db
      .selectFrom("reserved_names")
      .where("protocol", "=", protocol)
      .where("pattern", "=", pattern)
      .where("owner_id", "=", ownerId)
      .select("id"),
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
  (db, parameters) =>
    db.insertInto("reserved_names").values({
      protocol: parameters.protocol,
      pattern: parameters.pattern,
      is_prefix: parameters.isPrefix,
      owner_id: parameters.ownerId,
      owner_kind: parameters.ownerKind,
      shared: parameters.shared,
      delegated_from: parameters.delegatedFrom,
      created_at: parameters.createdAt,
      created_by: parameters.createdBy,
    }),
);
const BY_ID = defineStatement("reservation-by-id", { id: param.whole }, (db, { id }) =>
  db
    .selectFrom("reserved_names")
    .where("id", "=", id)
    .select(["protocol", "pattern", "is_prefix", "owner_id"]),
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
    remove: (id, by) =>
      changes.transaction(async (unit) => {
        const row = await unit.queries.one(BY_ID, { id });
        if (!row || (await unit.queries.run(DROP, { id })) === 0) return "absent";
        const owner = await handleOf(unit, row.owner_id);
        await announce(changes, unit, {
          ...row,
          isPrefix: row.is_prefix,
          change: "removed",
          owner,
          by,
        });
        return "removed";
      }),
  };
}

async function addReservation(
  changes: Changes,
  unit: Unit,
  { reservation, by }: { readonly reservation: NewReservation; readonly by: Caller },
): Promise<"added" | "present"> {
  const { protocol, pattern, isPrefix, isShared, delegatedFrom, owner } = reservation;
  // Two instances that add the same reservation wait for each other.
  await changes.stale(unit, `reserved/${protocol}/${pattern}`);
  if (await unit.queries.one(FIND, { protocol, pattern, ownerId: owner.id })) return "present";
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
