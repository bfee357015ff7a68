import { sql } from "#kysely";
import type { MailReceivers } from "@sealhouse/events";
import { NAME_KINDS } from "../ownership/own-owner.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const OWNERS = { owners: param.texts };
const TOKEN = { tokenId: param.text(36) };

const OF_USERS = defineStatement("mail-of-users", OWNERS, (db, { owners }, own) =>
  db
    .selectFrom("host_users as u")
    .where("u.state", "=", sql.lit("active"))
    .where((user) =>
      user.or([
        user("u.id", "in", own.textsIn(owners)),
        user("u.handle", "in", own.textsIn(owners)),
      ]),
    )
    .select("u.email"),
);
const OF_TEAMS = defineStatement("mail-of-teams", OWNERS, (db, { owners }, own) =>
  db
    .selectFrom("host_teams as t")
    .innerJoin("host_team_members as m", "m.team_id", "t.id")
    .innerJoin("host_users as u", "u.id", "m.user_id")
    .where("u.state", "=", sql.lit("active"))
    .where((team) =>
      team.or([
        team("t.id", "in", own.textsIn(owners)),
        team("t.handle", "in", own.textsIn(owners)),
      ]),
    )
    .select("u.email"),
);
const PUBLISHERS = defineStatement("mail-publishers", NAME_KINDS, (db, { protocol, nameKey }) =>
  db
    .selectFrom("ownerships")
    .where("protocol", "=", protocol)
    .where("name_key", "=", nameKey)
    .where("level", "<>", sql.lit("read"))
    .select("owner_id"),
);
const OF_TOKEN_USER = defineStatement("mail-of-token-user", TOKEN, (db, { tokenId }) =>
  db
    .selectFrom("host_tokens as t")
    .innerJoin("host_users as u", "u.id", "t.user_id")
    .where("t.id", "=", tokenId)
    .where("u.state", "=", sql.lit("active"))
    .select("u.email"),
);
const OF_TOKEN_TEAM = defineStatement("mail-of-token-team", TOKEN, (db, { tokenId }) =>
  db
    .selectFrom("host_tokens as t")
    .innerJoin("host_service_accounts as a", "a.id", "t.service_account_id")
    .innerJoin("host_team_members as m", "m.team_id", "a.team_id")
    .innerJoin("host_users as u", "u.id", "m.user_id")
    .where("t.id", "=", tokenId)
    .where("m.level", "=", sql.lit("manager"))
    .where("u.state", "=", sql.lit("active"))
    .select("u.email"),
);
const ADMINISTRATOR = defineStatement("mail-administrator", { id: param.text(36) }, (db, { id }) =>
  db
    .selectFrom("host_users")
    .where("id", "=", id)
    .where("role", "=", sql.lit("administrator"))
    .where("state", "=", sql.lit("active"))
    .select("id"),
);

/** Mail addresses of users, teams and owners. */
export function createMailReceivers(queries: Queries): MailReceivers {
  const ofOwners = async (owners: readonly string[]) => {
    if (owners.length === 0) return [];
    const users = await queries.all(OF_USERS, { owners });
    return addressesIn([...users, ...(await queries.all(OF_TEAMS, { owners }))]);
  };
  return {
    ofOwners,
    async ofName({ protocol, name }) {
      const nameKey = protocol === "nuget" ? name.toLowerCase() : name;
      const owners = await queries.all(PUBLISHERS, { protocol, nameKey });
      return ofOwners(owners.map(({ owner_id: id }) => id));
    },
    async ofToken(tokenId) {
      const users = await queries.all(OF_TOKEN_USER, { tokenId });
      return addressesIn([...users, ...(await queries.all(OF_TOKEN_TEAM, { tokenId }))]);
    },
    isAdministrator: async (id) => (await queries.one(ADMINISTRATOR, { id })) !== undefined,
  };
}

function addressesIn(rows: readonly { readonly email: string | null }[]): readonly string[] {
  return [...new Set(rows.flatMap(({ email }) => email ?? []))].toSorted();
}
