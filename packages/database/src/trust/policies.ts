import type { Caller } from "@sealhouse/request-types";
import type { Policies, PublishPolicy } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import { isAnyName } from "./existing-names.ts";
import { dropPolicy, holdPolicy, notePolicy } from "./held-policy.ts";
import { insertPolicy, JOINED_COLUMNS, policyOf } from "./policy-rows.ts";
import { usePolicy } from "./policy-use.ts";

const ID = { id: param.text(36) };

const LIST = defineStatement("publish-policies", {}, (db) =>
  db
    .selectFrom("host_publish_policies as p")
    .leftJoin("host_users as maker", "maker.id", "p.maker_id")
    .leftJoin("host_users as owner_user", "owner_user.id", "p.owner_id")
    .leftJoin("host_teams as owner_team", "owner_team.id", "p.owner_id")
    .leftJoin("host_team_members as member", (join) =>
      join.onRef("member.team_id", "=", "p.owner_id").onRef("member.user_id", "=", "p.maker_id"),
    )
    .select(JOINED_COLUMNS)
    .orderBy("p.created_at")
    .orderBy("p.id"),
);
const OF_ISSUER = defineStatement(
  "publish-policies-of-issuer",
  { issuer: param.text(255) },
  (db, { issuer }) =>
    db
      .selectFrom("host_publish_policies as p")
      .leftJoin("host_users as maker", "maker.id", "p.maker_id")
      .leftJoin("host_users as owner_user", "owner_user.id", "p.owner_id")
      .leftJoin("host_teams as owner_team", "owner_team.id", "p.owner_id")
      .leftJoin("host_team_members as member", (join) =>
        join.onRef("member.team_id", "=", "p.owner_id").onRef("member.user_id", "=", "p.maker_id"),
      )
      .select(JOINED_COLUMNS)
      .where("p.issuer", "=", issuer)
      .orderBy("p.created_at")
      .orderBy("p.id"),
);
const SAME_ID = defineStatement("publish-policy-exists", ID, (db, { id }) =>
  db.selectFrom("host_publish_policies").select("id").where("id", "=", id),
);

const HANDLE = { handle: param.text(39) };
const USER_ID = defineStatement("user-id-of-handle", HANDLE, (db, { handle }) =>
  db.selectFrom("host_users").select("id").where("handle", "=", handle),
);
const TEAM_ID = defineStatement("team-id-of-handle", HANDLE, (db, { handle }) =>
  db.selectFrom("host_teams").select("id").where("handle", "=", handle),
);

/** Policies of build jobs. */
export function createPolicies(queries: Queries, changes: Changes): Policies {
  return {
    list: async () => (await queries.all(LIST, {})).map(policyOf),
    async matching(issuer, protocol) {
      const rows = await queries.all(OF_ISSUER, { issuer });
      return rows.map(policyOf).filter(({ protocols }) => protocols.includes(protocol));
    },
    async ownerNamed(handle) {
      const user = await queries.one(USER_ID, { handle });
      return (user ?? (await queries.one(TEAM_ID, { handle })))?.id;
    },
    add: (policy, by) => add(changes, policy, by),
    remove: (id, by) => remove(changes, id, by),
    use: (use, token, by) => usePolicy(changes, { use, token, by }),
  };
}

function add(changes: Changes, wish: PublishPolicy, by: Caller): Promise<"added" | "present"> {
  return changes.transaction(async (unit) => {
    if (await unit.queries.one(SAME_ID, { id: wish.id })) return "present";
    const createdBy = storableText(by.actor).slice(0, NAME_LENGTH.actor);
    const isActive = wish.state === "pending" && (await isAnyName(unit, wish));
    const policy = { ...wish, createdBy, ...(isActive && { state: "active" as const }) };
    await insertPolicy(unit, policy);
    await notePolicy(changes, unit, { change: "added", policy, by });
    return "added";
  });
}

function remove(changes: Changes, id: string, by: Caller): Promise<"removed" | "absent"> {
  return changes.transaction(async (unit) => {
    const policy = await holdPolicy(unit, id);
    if (!policy) return "absent";
    await dropPolicy(changes, unit, { policy, by });
    await notePolicy(changes, unit, { change: "removed", policy, by });
    return "removed";
  });
}
