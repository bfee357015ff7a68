import type { OwnershipParts } from "@sealhouse/identity/testing";
import type { Changes } from "../transactions/changes.ts";
import { sql } from "#kysely";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const AT = { at: param.time };
const ADD_OWNER = defineStatement(
  "test-owner-insert",
  { ...AT, id: param.text(36), kind: param.text(16), handle: param.text(39) },
  (db, { at, id, kind, handle }) =>
    db.insertInto("host_owner_names").values({ name: handle, kind, owner_id: id, created_at: at }),
);
const ADD_USER = defineStatement(
  "test-user-insert",
  { ...AT, id: param.text(36), handle: param.text(39), role: param.text(16) },
  (db, { at, id, handle, role }) =>
    db.insertInto("host_users").values({
      id,
      handle,
      display_name: handle,
      role,
      role_source: sql.lit("hand"),
      state: sql.lit("active"),
      epoch: sql.lit(0),
      created_at: at,
    }),
);
const ADD_MEMBER = defineStatement(
  "test-member-insert",
  { ...AT, teamId: param.text(36), userId: param.text(36), level: param.text(16) },
  (db, { at, teamId, userId, level }) =>
    db.insertInto("host_team_members").values({
      team_id: teamId,
      user_id: userId,
      level,
      source: sql.lit("hand"),
      created_at: at,
    }),
);
const ADD_TEAM = defineStatement(
  "test-team-insert",
  { ...AT, id: param.text(36), handle: param.text(39) },
  (db, { at, id, handle }) =>
    db.insertInto("host_teams").values({ id, handle, display_name: handle, created_at: at }),
);
const ADD_ACCOUNT = defineStatement(
  "test-account-insert",
  { ...AT, id: param.text(36), teamId: param.optional(param.text(36)) },
  (db, { at, id, teamId }) =>
    db.insertInto("host_service_accounts").values({
      id,
      name: id,
      team_id: teamId,
      state: sql.lit("active"),
      created_at: at,
    }),
);

/** Inserts users, teams and service accounts as rows. */
export function ownerRows({
  transaction,
  now,
}: Pick<Changes, "transaction" | "now">): Pick<
  OwnershipParts,
  "addOwner" | "addMember" | "addAccount"
> {
  return {
    addOwner: ({ id, kind, handle }, role = "publisher") =>
      transaction(async ({ queries }) => {
        const at = now();
        await queries.run(ADD_OWNER, { at, id, kind, handle });
        if (kind === "team") await queries.run(ADD_TEAM, { at, id, handle });
        else await queries.run(ADD_USER, { at, id, handle, role });
      }),
    addMember: (teamId, userId, level) =>
      transaction(async ({ queries }) => {
        await queries.run(ADD_MEMBER, { at: now(), teamId, userId, level });
      }),
    addAccount: (id, teamId) =>
      transaction(async ({ queries }) => {
        await queries.run(ADD_ACCOUNT, { at: now(), id, teamId });
      }),
  };
}
