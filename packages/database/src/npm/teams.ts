import { isName } from "../trust/existing-names.ts";
import { sql } from "#kysely";
import type { Level, OwnerLevel } from "@sealhouse/identity";
import type { NpmTeam, NpmTeams, TeamPermission } from "@sealhouse/npm-protocol";
import type { Caller } from "@sealhouse/request-types";
import { changeOwners } from "../ownership/change-owners.ts";
import { findOwner } from "../ownership/owner-rows.ts";
import { withOwner } from "../ownership/ownerships.ts";
import type { PortContext } from "../port-context.ts";
import { containing } from "../raw/like.ts";
import { param } from "../statements/kinds.ts";
import { isLike } from "../statements/like.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";

const PATTERN = { pattern: param.longText };

const RIGHTS = defineStatement("npm-team-rights", PATTERN, (db, { pattern }) =>
  db
    .selectFrom("ownerships as o")
    .innerJoin("host_teams as t", "t.id", "o.owner_id")
    .where("o.protocol", "=", sql.lit("npm"))
    .where((row) => isLike(row.ref("o.name_key"), pattern))
    .select(["t.id", "t.handle", "o.name_key", "o.level"])
    .orderBy("t.handle"),
);
const MEMBERS = defineStatement("npm-team-members", { teams: param.texts }, (db, { teams }, own) =>
  db
    .selectFrom("host_team_members as m")
    .innerJoin("host_users as u", "u.id", "m.user_id")
    .where("m.team_id", "in", own.textsIn(teams))
    .select(["m.team_id", "u.handle"])
    .orderBy("u.handle"),
);

/** Teams of the registry, as npm sees them. */
export function createNpmTeams({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NpmTeams {
  return {
    async ofScope(scope) {
      const prefix = `${scope}/`;
      const rows = await queries.all(RIGHTS, { pattern: containing(prefix).slice(1) });
      // A database may compare without regard to letter case.
      const rights = rows.filter((row) => row.name_key.startsWith(prefix));
      const teams = new Map(rights.map(({ id, handle }) => [id, handle]));
      if (teams.size === 0) return [];
      const members = await queries.all(MEMBERS, { teams: [...teams.keys()] });
      return [...teams].map(([id, name]): NpmTeam => ({
        name,
        members: members.filter((row) => row.team_id === id).map(({ handle }) => handle),
        packages: new Map(
          rights
            .filter((row) => row.id === id)
            .map(({ name_key: owned, level }) => [
              owned,
              level === "read" ? "read-only" : "read-write",
            ]),
        ),
      }));
    },
    setPermission: (name, change, caller) => setPermission(changes, { name, ...change }, caller),
  };
}

const LEVELS: Readonly<Record<TeamPermission, Level>> = {
  "read-only": "read",
  "read-write": "publish",
};

function setPermission(
  changes: Changes,
  change: {
    readonly name: string;
    readonly team: string;
    readonly permission: TeamPermission | undefined;
  },
  by: Caller,
): ReturnType<NpmTeams["setPermission"]> {
  const name = { protocol: "npm", name: change.name } as const;
  return changes.transaction(async (unit) => {
    unit.askedBy(by);
    const team = await findOwner(unit, change.team);
    if (team?.kind !== "team" || !(await isName(unit, "npm", change.name))) return "absent";
    const level = change.permission && LEVELS[change.permission];
    const next = (present: readonly OwnerLevel[]) =>
      level ? withOwner(present, { ...team, level }) : present.filter(({ id }) => id !== team.id);
    const outcome = await changeOwners(changes, unit, { name, by, next });
    return outcome === "last" || outcome === "full" ? outcome : "set";
  });
}
