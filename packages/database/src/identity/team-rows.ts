import type { Team } from "@sealhouse/identity";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const COLUMNS = ["id", "handle", "display_name", "group_ref", "created_at"] as const;
export const TEAM_ID = { id: param.text(36) };
const MEMBER = { teamId: param.text(36), userId: param.text(36) };

export const TEAM_BY_ID = defineStatement("team-by-id", TEAM_ID, (db, { id }) =>
  db.selectFrom("host_teams").select(COLUMNS).where("id", "=", id),
);
export const TEAM_BY_NAME = defineStatement(
  "team-by-name",
  { text: param.text(39) },
  (db, { text }) =>
    db
      .selectFrom("host_teams")
      .select(COLUMNS)
      .where((team) => team.or([team("id", "=", text), team("handle", "=", text)])),
);
export const TEAMS = defineStatement("teams", {}, (db) =>
  db.selectFrom("host_teams").select(COLUMNS).orderBy("handle"),
);
export const INSERT_TEAM = defineStatement(
  "team-insert",
  {
    ...TEAM_ID,
    handle: param.text(39),
    displayName: param.longText,
    groupRef: param.optional(param.text(255)),
    createdAt: param.time,
  },
  (db, parameters) => db.insertInto("host_teams").values(inColumns(parameters)),
);
export const CHANGE_TEAM = defineStatement(
  "team-change",
  { ...TEAM_ID, displayName: param.longText, groupRef: param.optional(param.text(255)) },
  (db, { id, displayName, groupRef }) =>
    db
      .updateTable("host_teams")
      .set({ display_name: displayName, group_ref: groupRef })
      .where("id", "=", id),
);
export const MEMBERS = defineStatement("team-members", TEAM_ID, (db, { id }) =>
  db
    .selectFrom("host_team_members as m")
    .innerJoin("host_users as u", "u.id", "m.user_id")
    .select(["m.user_id", "u.handle", "u.display_name", "m.level", "m.source"])
    .where("m.team_id", "=", id)
    .orderBy("u.handle"),
);
export const COUNT_MEMBERS = defineStatement("team-member-count", TEAM_ID, (db, { id }) =>
  db
    .selectFrom("host_team_members")
    .where("team_id", "=", id)
    .select(({ fn }) => fn.countAll<number>().as("members")),
);
export const MEMBER_ROW = defineStatement("team-member", MEMBER, (db, { teamId, userId }) =>
  db
    .selectFrom("host_team_members")
    .select(["level", "source"])
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId),
);
export const INSERT_MEMBER = defineStatement(
  "team-member-insert",
  { ...MEMBER, level: param.text(16), source: param.text(16), at: param.time },
  (db, { at, ...row }) =>
    db.insertInto("host_team_members").values({ ...inColumns(row), created_at: at }),
);
export const SET_MEMBER = defineStatement(
  "team-member-set",
  { ...MEMBER, level: param.text(16), source: param.text(16) },
  (db, { teamId, userId, level, source }) =>
    db
      .updateTable("host_team_members")
      .set({ level, source })
      .where("team_id", "=", teamId)
      .where("user_id", "=", userId),
);
export const DROP_MEMBER = defineStatement("team-member-drop", MEMBER, (db, { teamId, userId }) =>
  db.deleteFrom("host_team_members").where("team_id", "=", teamId).where("user_id", "=", userId),
);
export const DROP_GROUP_MEMBERS = defineStatement(
  "team-members-drop-of-group",
  TEAM_ID,
  (db, { id }) =>
    db.deleteFrom("host_team_members").where("team_id", "=", id).where("source", "=", "group"),
);

export function teamOf(row: RowOf<typeof TEAM_BY_ID>): Team {
  return {
    id: row.id,
    handle: row.handle,
    displayName: row.display_name,
    ...(row.group_ref !== null && { groupRef: row.group_ref }),
    createdAt: row.created_at,
  };
}
