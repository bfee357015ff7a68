import type { Caller } from "@sealhouse/request-types";
import { TEAM_LEVELS, TEAM_MEMBERS_MAX } from "@sealhouse/identity";
import type { Team, TeamChange, TeamLevel, TeamMember, Teams } from "@sealhouse/identity";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Queries } from "../statements/queries.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { holdPeople, takeName } from "./owner-names.ts";
import { USER_BY_ID } from "./people-rows.ts";
import {
  CHANGE_TEAM,
  COUNT_MEMBERS,
  DROP_GROUP_MEMBERS,
  DROP_MEMBER,
  INSERT_MEMBER,
  INSERT_TEAM,
  MEMBERS,
  MEMBER_ROW,
  SET_MEMBER,
  TEAMS,
  TEAM_BY_ID,
  TEAM_BY_NAME,
  teamOf,
} from "./team-rows.ts";
import { memberOf } from "./token-rows.ts";

const HANDLE_MAX = 39;

export function createTeams(queries: Queries, changes: Changes): Teams {
  return {
    add: (team, by) => add(changes, team, by),
    async find(handleOrId) {
      const text = handleOrId.toLowerCase();
      if (text.length > HANDLE_MAX) return undefined;
      const row = await queries.one(TEAM_BY_NAME, { text });
      return row && teamOf(row);
    },
    list: async () => (await queries.all(TEAMS, {})).map(teamOf),
    members: async (id) => (await queries.all(MEMBERS, { id })).map(teamMemberOf),
    change: (id, change, by) => changeTeam(changes, { id, change, by }),
    setMember: (id, member, by) => setMember(changes, { id, ...member, by }),
    removeMember: (id, userId, by) => removeMember(changes, { id, userId, by }),
  };
}

function add(changes: Changes, team: Team, by: Caller): Promise<"added" | "taken"> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const { id, handle, groupRef, createdAt } = team;
    const owner = { name: handle, kind: "team", ownerId: id, at: createdAt } as const;
    if (!(await takeName(unit, owner))) return "taken";
    const displayName = storableText(team.displayName);
    await unit.queries.run(INSERT_TEAM, { id, handle, displayName, groupRef, createdAt });
    const detail = { change: "added", displayName, ...(groupRef !== undefined && { groupRef }) };
    await changes.event(unit, changed(handle, { by, detail }));
    return "added";
  });
}

function changeTeam(
  changes: Changes,
  { id, change, by }: { readonly id: string; readonly change: TeamChange; readonly by: Caller },
): Promise<"changed" | "absent"> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const row = await unit.queries.one(TEAM_BY_ID, { id });
    if (!row) return "absent";
    const before = teamOf(row);
    const team = { ...before, ...change };
    const { groupRef, handle } = team;
    const displayName = storableText(team.displayName);
    await unit.queries.run(CHANGE_TEAM, { id, displayName, groupRef });
    if (groupRef !== before.groupRef) await unit.queries.run(DROP_GROUP_MEMBERS, { id });
    const detail = { change: "changed", displayName, ...(groupRef !== undefined && { groupRef }) };
    await changes.event(unit, changed(handle, { by, detail }));
    return "changed";
  });
}

type MemberChange = {
  readonly id: string;
  readonly userId: string;
  readonly level: TeamLevel;
  readonly by: Caller;
};

function setMember(
  changes: Changes,
  { id: teamId, userId, level, by }: MemberChange,
): Promise<"set" | "unchanged" | "absent" | "full"> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const { queries } = unit;
    const team = await queries.one(TEAM_BY_ID, { id: teamId });
    const user = await queries.one(USER_BY_ID, { id: userId });
    if (!team || !user) return "absent";
    const before = await queries.one(MEMBER_ROW, { teamId, userId });
    if (before?.level === level && before.source === "hand") return "unchanged";
    const present = before ? undefined : await queries.one(COUNT_MEMBERS, { id: teamId });
    if ((present?.members ?? 0) >= TEAM_MEMBERS_MAX) return "full";
    const member = { teamId, userId, level, source: "hand" };
    await (before
      ? queries.run(SET_MEMBER, member)
      : queries.run(INSERT_MEMBER, { ...member, at: changes.now() }));
    const detail = { change: "member", user: user.handle, level };
    await changes.event(unit, changed(team.handle, { by, detail }));
    return "set";
  });
}

function removeMember(
  changes: Changes,
  { id: teamId, userId, by }: Omit<MemberChange, "level">,
): Promise<"removed" | "absent"> {
  return changes.transaction(async (unit) => {
    await holdPeople(changes, unit);
    const { queries } = unit;
    const team = await queries.one(TEAM_BY_ID, { id: teamId });
    const user = await queries.one(USER_BY_ID, { id: userId });
    if (!team || !user || (await queries.run(DROP_MEMBER, { teamId, userId })) === 0) {
      return "absent";
    }
    const detail = { change: "member-removed", user: user.handle };
    await changes.event(unit, changed(team.handle, { by, detail }));
    return "removed";
  });
}

function changed(
  handle: string,
  { by, detail }: { readonly by: Caller; readonly detail: Readonly<Record<string, unknown>> },
) {
  return { type: "team.changed", subject: `team/${handle}`, caller: by, detail } as const;
}

function teamMemberOf(row: RowOf<typeof MEMBERS>): TeamMember {
  return {
    userId: row.user_id,
    handle: row.handle,
    displayName: row.display_name,
    level: memberOf("level", row.level, TEAM_LEVELS),
    source: memberOf("source", row.source, ["group", "hand"]),
  };
}
