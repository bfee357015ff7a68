import { TEAM_LEVELS } from "@sealhouse/identity";
import type { UserDetails } from "@sealhouse/identity";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { memberOf } from "./token-rows.ts";

const ACCOUNTS = defineStatement(
  "external-identities-of-users",
  { userIds: param.texts },
  (db, { userIds }, own) =>
    db
      .selectFrom("host_external_identities")
      .select(["user_id", "issuer", "shown"])
      .where("user_id", "in", own.textsIn(userIds)),
);
const TEAMS = defineStatement("user-teams", { userId: param.text(36) }, (db, { userId }) =>
  db
    .selectFrom("host_team_members as m")
    .innerJoin("host_teams as t", "t.id", "m.team_id")
    .select(["t.handle", "t.display_name", "m.level", "m.source"])
    .where("m.user_id", "=", userId)
    .orderBy("t.handle"),
);

export function createUserDetails(queries: Queries): UserDetails {
  return {
    async accounts(userIds) {
      if (userIds.length === 0) return [];
      const rows = await queries.all(ACCOUNTS, { userIds });
      return rows.map(({ user_id: userId, issuer, shown }) => ({ userId, issuer, shown }));
    },
    async teams(userId) {
      const rows = await queries.all(TEAMS, { userId });
      return rows.map((row) => ({
        handle: row.handle,
        displayName: row.display_name,
        level: memberOf("level", row.level, TEAM_LEVELS),
        source: memberOf("source", row.source, ["group", "hand"]),
      }));
    },
  };
}
