import { LEVELS } from "@sealhouse/identity";
import type { Level, OwnableName, Owner, OwnerLevel } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { memberOf } from "../identity/token-rows.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { HOLDER_KIND, NAME_KINDS } from "./own-owner.ts";

/** Executes in a transaction or outside. */
type Within = { readonly queries: Queries };

const OWNER_KIND = { ownerId: param.text(36) };
const OWNER_KINDS = ["user", "team"] as const;

const OWNERS = defineStatement("owners-of-name", NAME_KINDS, (db, { protocol, nameKey }) =>
  db
    .selectFrom("ownerships as o")
    .leftJoin("host_owner_names as n", "n.owner_id", "o.owner_id")
    .where("o.protocol", "=", protocol)
    .where("o.name_key", "=", nameKey)
    .select(["o.owner_id", "o.owner_kind", "o.level", "n.name"])
    .orderBy("n.name"),
);
const OWNER_BY_NAME = defineStatement("owner-by-name", { name: param.text(39) }, (db, { name }) =>
  db.selectFrom("host_owner_names").where("name", "=", name).select(["owner_id", "kind", "name"]),
);
const HANDLE = defineStatement("owner-handle", OWNER_KIND, (db, { ownerId }) =>
  db.selectFrom("host_owner_names").where("owner_id", "=", ownerId).select("name"),
);
/** The owner of names that a user, service account or publish policy creates. */
const OWNER_OF_HOLDER = defineStatement("owner-of-holder", HOLDER_KIND, (db, { holderId }) =>
  db
    .selectFrom("host_owner_names as n")
    .where((row) =>
      row.or([
        row("n.owner_id", "=", holderId),
        row(
          "n.owner_id",
          "in",
          db.selectFrom("host_service_accounts").where("id", "=", holderId).select("team_id"),
        ),
        row(
          "n.owner_id",
          "in",
          db.selectFrom("host_publish_policies").where("id", "=", holderId).select("owner_id"),
        ),
      ]),
    )
    .select(["n.owner_id", "n.kind", "n.name"]),
);
const INSERT = defineStatement(
  "ownership-insert",
  {
    ...NAME_KINDS,
    ...OWNER_KIND,
    ownerKind: param.text(16),
    level: param.text(16),
    createdAt: param.time,
    createdBy: param.text(NAME_LENGTH.actor),
  },
  (db, parameters) => db.insertInto("ownerships").values(inColumns(parameters)),
);
const SET_LEVEL = defineStatement(
  "ownership-set-level",
  { ...NAME_KINDS, ...OWNER_KIND, level: param.text(16) },
  (db, { protocol, nameKey, ownerId, level }) =>
    db
      .updateTable("ownerships")
      .set({ level })
      .where("protocol", "=", protocol)
      .where("name_key", "=", nameKey)
      .where("owner_id", "=", ownerId),
);
const DROP = defineStatement(
  "ownership-drop",
  { ...NAME_KINDS, ...OWNER_KIND },
  (db, { protocol, nameKey, ownerId }) =>
    db
      .deleteFrom("ownerships")
      .where("protocol", "=", protocol)
      .where("name_key", "=", nameKey)
      .where("owner_id", "=", ownerId),
);

/** Returns the owners of a name in order of their handles. */
export async function ownersOf(
  { queries }: Within,
  { protocol, name }: OwnableName,
): Promise<readonly OwnerLevel[]> {
  const rows = await queries.all(OWNERS, { protocol, nameKey: name });
  return rows.map((row) => ({
    id: row.owner_id,
    kind: memberOf("owner_kind", row.owner_kind, OWNER_KINDS),
    handle: row.name ?? row.owner_id,
    level: memberOf("level", row.level, LEVELS),
  }));
}

/** Returns the handles of the owners that publish, as documents show them. */
export function publishersIn(owners: readonly OwnerLevel[]): readonly string[] {
  return owners.filter(({ level }) => level !== "read").map(({ handle }) => handle);
}

export async function findOwner({ queries }: Within, handle: string): Promise<Owner | undefined> {
  if (handle.length > 39) return undefined;
  const row = await queries.one(OWNER_BY_NAME, { name: handle.toLowerCase() });
  // Service accounts have their names in the same table, and own nothing themselves.
  return row && OWNER_KINDS.some((kind) => kind === row.kind) ? ownerIn(row) : undefined;
}

/** Returns the user, or the team of a service account, or the owner of a policy. */
export async function ownerOfHolder(
  { queries }: Within,
  holderId: string,
): Promise<Owner | undefined> {
  const row = await queries.one(OWNER_OF_HOLDER, { holderId });
  return row && ownerIn(row);
}

export function ownerIn(row: {
  readonly owner_id: string;
  readonly kind: string;
  readonly name: string;
}): Owner {
  return { id: row.owner_id, kind: memberOf("kind", row.kind, OWNER_KINDS), handle: row.name };
}

export type NewOwnerRow = OwnableName & {
  readonly owner: Pick<Owner, "id" | "kind"> & { readonly level: Level };
  readonly createdAt: Date;
  readonly createdBy: string;
};

export async function insertOwner({ queries }: Within, newRow: NewOwnerRow): Promise<void> {
  const { protocol, name, owner, createdAt, createdBy } = newRow;
  await queries.run(INSERT, {
    protocol,
    nameKey: name,
    ownerId: owner.id,
    ownerKind: owner.kind,
    level: owner.level,
    createdAt,
    createdBy,
  });
}

export async function setLevel(
  { queries }: Within,
  { protocol, name }: OwnableName,
  { id, level }: Pick<OwnerLevel, "id" | "level">,
): Promise<void> {
  await queries.run(SET_LEVEL, { protocol, nameKey: name, ownerId: id, level });
}

export async function dropOwner(
  { queries }: Within,
  { protocol, name }: OwnableName,
  ownerId: string,
): Promise<void> {
  await queries.run(DROP, { protocol, nameKey: name, ownerId });
}

/** Returns the handle of an owner; its id when it has none. */
export async function handleOf({ queries }: Within, ownerId: string): Promise<string> {
  return (await queries.one(HANDLE, { ownerId }))?.name ?? ownerId;
}
