import { LEVELS, PROTOCOLS } from "@sealhouse/identity";
import type {
  NewTransfer,
  OwnerLevel,
  Transfer,
  TransferOutcome,
  Transfers,
  OwnableName,
} from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { memberOf } from "../identity/token-rows.ts";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { changeOwners } from "./change-owners.ts";
import { handleOf, ownerIn } from "./owner-rows.ts";
import { includesLevel, withOwner } from "./ownerships.ts";
import { NAME_KINDS, HOLDER_KIND } from "./own-owner.ts";
import { standingOf } from "./standing.ts";

const ID = { id: param.text(36) };
const COLUMNS = [
  "t.id",
  "t.protocol",
  "t.name_key",
  "t.from_id",
  "t.to_id",
  "t.level",
  "t.created_at",
  "t.created_by",
  "t.expires_at",
  "n.kind",
  "n.name",
] as const;

const NOW = { now: param.time };
const OPEN = defineStatement("transfers-open", NOW, (_, given, own) => openOffers(own, given));
const OPEN_OF_NAME = defineStatement(
  "transfers-open-of-name",
  { ...NOW, ...NAME_KINDS },
  (_, given, own) =>
    openOffers(own, given)
      .where("t.protocol", "=", given.protocol)
      .where("t.name_key", "=", given.nameKey),
);
const OPEN_TO = defineStatement(
  "transfers-open-to",
  { ...NOW, receivers: param.texts },
  (_, given, own) => openOffers(own, given).where("t.to_id", "in", own.textsIn(given.receivers)),
);

function openOffers({ db }: Dialect, { now }: Parameters<typeof NOW>) {
  return db
    .selectFrom("owner_transfers as t")
    .innerJoin("host_owner_names as n", "n.owner_id", "t.to_id")
    .where("t.decided_at", "is", null)
    .where("t.expires_at", ">", now)
    .select(COLUMNS)
    .orderBy("t.created_at")
    .orderBy("t.id");
}

const FIND = defineStatement("transfer", ID, (db, { id }) =>
  db
    .selectFrom("owner_transfers as t")
    .innerJoin("host_owner_names as n", "n.owner_id", "t.to_id")
    .where("t.id", "=", id)
    .select([...COLUMNS, "t.decided_at", "t.maker_id"]),
);
const SAME = defineStatement(
  "transfer-same",
  { ...NAME_KINDS, toId: param.text(36), now: param.time },
  (db, { protocol, nameKey, toId, now }) =>
    db
      .selectFrom("owner_transfers")
      .where("protocol", "=", protocol)
      .where("name_key", "=", nameKey)
      .where("to_id", "=", toId)
      .where("decided_at", "is", null)
      .where("expires_at", ">", now)
      .select("id"),
);
const INSERT = defineStatement(
  "transfer-insert",
  {
    ...ID,
    ...NAME_KINDS,
    fromId: param.optional(param.text(36)),
    toId: param.text(36),
    level: param.text(16),
    createdAt: param.time,
    createdBy: param.text(NAME_LENGTH.actor),
    expiresAt: param.time,
    makerId: param.optional(param.text(36)),
  },
  (db, parameters) => db.insertInto("owner_transfers").values(inColumns(parameters)),
);
const DECIDE = defineStatement(
  "transfer-decide",
  { ...ID, at: param.time, decision: param.text(16), by: param.text(NAME_LENGTH.actor) },
  (db, { id, at, decision, by }) =>
    db
      .updateTable("owner_transfers")
      .set({ decided_at: at, decision, decided_by: by })
      .where("id", "=", id)
      .where("decided_at", "is", null)
      .where("expires_at", ">", at),
);

export function createTransfers({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): Transfers {
  return {
    offer: (transfer, by) => changes.transaction((unit) => offer(changes, unit, { transfer, by })),
    list: async () => (await queries.all(OPEN, { now: changes.now() })).map(transferOf),
    async listOf({ protocol, name }) {
      const values = { now: changes.now(), protocol, nameKey: name };
      return (await queries.all(OPEN_OF_NAME, values)).map(transferOf);
    },
    listTo: async (receivers) =>
      (await queries.all(OPEN_TO, { now: changes.now(), receivers })).map(transferOf),
    accept: (id, by) =>
      unlessEnded(() => changes.transaction((unit) => accept(changes, unit, { id, by }))),
    decline: (id, as, by) =>
      changes.transaction(async (unit) => {
        const row = await unit.queries.one(FIND, { id });
        if (!row) return "absent";
        if (!(await decide(changes, unit, { id, decision: as, by }))) return "ended";
        await announce(changes, unit, { transfer: transferOf(row), change: as, by });
        return "done";
      }),
  };
}

async function offer(
  changes: Changes,
  unit: Unit,
  { transfer, by }: { readonly transfer: NewTransfer; readonly by: Caller },
): Promise<"offered" | "present"> {
  const { id, name, fromId, toId, level, expiresAt } = transfer;
  const values = { protocol: name.protocol, nameKey: name.name, toId };
  const now = changes.now();
  await changes.stale(unit, `${name.protocol}/${name.name}`);
  if (await unit.queries.one(SAME, { ...values, now })) return "present";
  const createdBy = storableText(by.actor).slice(0, NAME_LENGTH.actor);
  const made = { createdAt: now, createdBy, expiresAt, makerId: by.holderId };
  await unit.queries.run(INSERT, { ...values, id, fromId, level, ...made });
  const to = await handleOf(unit, toId);
  const announced = { name, level, to: { handle: to } };
  await announce(changes, unit, { transfer: announced, change: "offered", by });
  return "offered";
}

/** Rolls the acceptance back. */
class EndedTransfer extends Error {
  override readonly name = "EndedTransfer";
  readonly outcome: "ended" | "full";

  constructor(outcome: "ended" | "full" = "ended") {
    super(`the offer is not accepted: ${outcome}`);
    this.outcome = outcome;
  }
}

async function unlessEnded(work: () => Promise<TransferOutcome>): Promise<TransferOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EndedTransfer) return error.outcome;
    throw error;
  }
}

async function accept(
  changes: Changes,
  unit: Unit,
  { id, by }: { readonly id: string; readonly by: Caller },
): Promise<TransferOutcome> {
  const row = await unit.queries.one(FIND, { id });
  if (!row) return "absent";
  const transfer = transferOf(row);
  const { name, fromId, to, level } = transfer;
  if (!(await decide(changes, unit, { id, decision: "accepted", by }))) return "ended";
  // Changes of the owners of one name wait for each other.
  await changes.stale(unit, `${name.protocol}/${name.name}`);
  if (!(await mayStillOffer(unit, name, row.maker_id))) throw new EndedTransfer();
  const next = (present: readonly OwnerLevel[]) => {
    // A sender that lost the right since then has nothing to pass on.
    if (fromId !== undefined && !includesLevel(present, { id: fromId, level })) {
      throw new EndedTransfer();
    }
    const staying = present.filter((owner) => owner.id !== fromId);
    return includesLevel(present, { id: to.id, level }) && fromId === undefined
      ? present
      : withOwner(staying, { ...to, level });
  };
  const outcome = await changeOwners(changes, unit, { name, by, next, transfer: id });
  if (outcome === "last") throw new EndedTransfer();
  if (outcome === "full") throw new EndedTransfer("full");
  await announce(changes, unit, { transfer, change: "accepted", by });
  return "done";
}

async function decide(
  changes: Pick<Changes, "now">,
  { queries }: Unit,
  decided: { readonly id: string; readonly decision: string; readonly by: Caller },
): Promise<boolean> {
  const { id, decision, by } = decided;
  const actor = storableText(by.actor).slice(0, NAME_LENGTH.actor);
  return (await queries.run(DECIDE, { id, at: changes.now(), decision, by: actor })) > 0;
}

function announce(
  changes: Changes,
  unit: Unit,
  what: {
    readonly transfer: Pick<Transfer, "name" | "level"> & {
      readonly to: { readonly handle: string };
    };
    readonly change: "offered" | "accepted" | "declined" | "withdrawn";
    readonly by: Caller;
  },
): Promise<void> {
  const { transfer, change, by: caller } = what;
  const { name, level, to } = transfer;
  return changes.event(unit, {
    type: "transfer.changed",
    subject: `${name.protocol}/${name.name}`,
    caller,
    detail: { change, to: to.handle, level },
  });
}

function transferOf(row: RowOf<typeof OPEN>): Transfer {
  return {
    id: row.id,
    name: { protocol: memberOf("protocol", row.protocol, PROTOCOLS), name: row.name_key },
    ...(row.from_id !== null && { fromId: row.from_id }),
    to: ownerIn({ owner_id: row.to_id, kind: row.kind, name: row.name }),
    level: memberOf("level", row.level, LEVELS),
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
  };
}

const USER = defineStatement("offer-maker-user", HOLDER_KIND, (db, { holderId }) =>
  db.selectFrom("host_users").where("id", "=", holderId).select(["role", "state"]),
);
const ACCOUNT = defineStatement("offer-maker-account", HOLDER_KIND, (db, { holderId }) =>
  db.selectFrom("host_service_accounts").where("id", "=", holderId).select("state"),
);

/** Whether those who made an offer may still make it. Without an id, they are the operators. */
async function mayStillOffer(
  { queries }: Pick<Unit, "queries">,
  name: OwnableName,
  makerId: string | null,
): Promise<boolean> {
  if (makerId === null) return true;
  const user = await queries.one(USER, { holderId: makerId });
  const holder = user ?? (await queries.one(ACCOUNT, { holderId: makerId }));
  if (holder?.state !== "active" || user?.role === "consumer") return false;
  if (user?.role === "administrator") return true;
  return (await standingOf(queries, name, makerId)).level === "manage";
}
