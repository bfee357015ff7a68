import { ROLES, USER_STATES } from "@sealhouse/identity";
import type { Person, RoleSource } from "@sealhouse/identity";
import type { Tables } from "../statements/tables.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { memberOf, secondFactorOf } from "./token-rows.ts";
import type { Selectable } from "#kysely";

/** The columns of a user. */
const COLUMNS = [
  "id",
  "handle",
  "display_name",
  "email",
  "role",
  "role_source",
  "state",
  "reason",
  "epoch",
  "created_at",
  "validated_at",
  "last_sign_in_at",
  "second_factor",
] as const;

type UserRow = Pick<Selectable<Tables["host_users"]>, (typeof COLUMNS)[number]>;

export const USER_ID = { id: param.text(36) };
export const USER_BY_ID = defineStatement("user-by-id", USER_ID, (db, { id }) =>
  db.selectFrom("host_users").select(COLUMNS).where("id", "=", id),
);
/** Texts of any length: a person typed them. */
export const USER_BY_NAME = defineStatement(
  "user-by-name",
  { text: param.text(39) },
  (db, { text }) =>
    db
      .selectFrom("host_users")
      .select(COLUMNS)
      .where((user) => user.or([user("id", "=", text), user("handle", "=", text)])),
);
export const USERS = defineStatement("users", {}, (db) =>
  db.selectFrom("host_users").select(COLUMNS).orderBy("handle"),
);
export const USERS_AFTER = defineStatement(
  "users-after",
  { after: param.text(39), limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db.selectFrom("host_users").select(COLUMNS).where("handle", ">", after).orderBy("handle"),
      limit,
    ),
);
export const OTHER_ADMINISTRATORS = defineStatement(
  "user-other-administrators",
  USER_ID,
  (db, { id }) =>
    db
      .selectFrom("host_users")
      .select("id")
      .where("role", "=", "administrator")
      .where("state", "=", "active")
      .where("id", "<>", id),
);
export const INSERT_USER = defineStatement(
  "user-insert",
  {
    ...USER_ID,
    handle: param.text(39),
    displayName: param.longText,
    email: param.optional(param.longText),
    role: param.text(16),
    roleSource: param.text(16),
    state: param.text(16),
    epoch: param.whole,
    createdAt: param.time,
    validatedAt: param.optional(param.time),
    lastSignInAt: param.optional(param.time),
  },
  (db, parameters) => db.insertInto("host_users").values(inColumns(parameters)),
);
export const SET_ROLE = defineStatement(
  "user-set-role",
  { ...USER_ID, role: param.text(16), source: param.text(16) },
  (db, { id, role, source }) =>
    db.updateTable("host_users").set({ role, role_source: source }).where("id", "=", id),
);
export const SET_STATE = defineStatement(
  "user-set-state",
  {
    ...USER_ID,
    state: param.text(16),
    reason: param.optional(param.longText),
    blockedFrom: param.optional(param.text(16)),
  },
  (db, { id, state, reason, blockedFrom }) =>
    db
      .updateTable("host_users")
      .set({ state, reason, blocked_from: blockedFrom })
      .where("id", "=", id),
);
export const BLOCKED_FROM = defineStatement("user-blocked-from", USER_ID, (db, { id }) =>
  db.selectFrom("host_users").select("blocked_from").where("id", "=", id),
);
export const SET_VALIDATED = defineStatement(
  "user-set-validated",
  { ...USER_ID, at: param.time },
  (db, { id, at }) => db.updateTable("host_users").set({ validated_at: at }).where("id", "=", id),
);
export const SET_SIGNED_IN = defineStatement(
  "user-set-signed-in",
  {
    ...USER_ID,
    displayName: param.longText,
    email: param.optional(param.longText),
    secondFactor: param.optional(param.text(16)),
    at: param.time,
  },
  (db, { id, at, ...row }) =>
    db
      .updateTable("host_users")
      .set({ ...inColumns(row), validated_at: at, last_sign_in_at: at })
      .where("id", "=", id),
);
export const RAISE_EPOCH = defineStatement("user-raise-epoch", USER_ID, (db, { id }) =>
  db
    .updateTable("host_users")
    .set((user) => ({ epoch: user("epoch", "+", 1) }))
    .where("id", "=", id),
);

/** The sources of a role. */
export const ROLE_SOURCES = ["group", "hand"] as const satisfies readonly RoleSource[];

/** Parses a row. An unknown word is an error. */
export function personOf(row: UserRow): Person {
  return {
    id: row.id,
    handle: row.handle,
    displayName: row.display_name,
    ...(row.email !== null && { email: row.email }),
    role: memberOf("role", row.role, ROLES),
    roleSource: memberOf("role_source", row.role_source, ROLE_SOURCES),
    state: memberOf("state", row.state, USER_STATES),
    ...(row.reason !== null && { reason: row.reason }),
    epoch: row.epoch,
    createdAt: row.created_at,
    ...(row.validated_at && { validatedAt: row.validated_at }),
    ...(row.last_sign_in_at && { lastSignInAt: row.last_sign_in_at }),
    ...secondFactorOf(row.second_factor),
  };
}
