import { SYSTEM } from "@sealhouse/events";
import { ROTATION_MS } from "@sealhouse/identity";
import type { Person, Role, UserState } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import { storableText } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { endAccess } from "./end-access.ts";
import { OTHER_ADMINISTRATORS, SET_ROLE, SET_STATE } from "./people-rows.ts";
import { RENEW_OF_USER } from "./sessions.ts";
import { DROP_MEMBER, INSERT_MEMBER } from "./team-rows.ts";

const TEAMS_OF_GROUPS = defineStatement("teams-of-groups", {}, (db) =>
  db
    .selectFrom("host_teams")
    .select(["id", "handle", "group_ref"])
    .where("group_ref", "is not", null),
);
const MEMBERSHIPS = defineStatement(
  "team-memberships",
  { userId: param.text(36) },
  (db, { userId }) =>
    db.selectFrom("host_team_members").select(["team_id", "source"]).where("user_id", "=", userId),
);

/** A change of a user, and who makes it. */
export type UserChange = { readonly person: Person; readonly by: Caller };

/** Whether no active administrator would be left without this one. */
export async function isLastAdministrator({ queries }: Unit, person: Person): Promise<boolean> {
  if (person.role !== "administrator" || person.state !== "active") return false;
  return (await queries.all(OTHER_ADMINISTRATORS, { id: person.id })).length === 0;
}

/**
 * Follows the role and the teams that groups of the provider give. True when the last active
 * administrator has lost the role by it.
 */
export async function followGroups(
  changes: Changes,
  unit: Unit,
  { person, role, groups, at }: FollowedGroups,
): Promise<boolean> {
  const follows = role !== undefined && person.roleSource === "group" && role !== person.role;
  const isLast =
    follows && (await writeRole(changes, unit, { person, role, source: "group", by: SYSTEM }));
  // Ids of groups are compared without letter case.
  const names = new Set(groups.map((group) => group.toLowerCase()));
  const teams = await unit.queries.all(TEAMS_OF_GROUPS, {});
  if (teams.length === 0) return isLast;
  const memberships = await unit.queries.all(MEMBERSHIPS, { userId: person.id });
  for (const { id: teamId, handle, group_ref: group } of teams) {
    const membership = memberships.find(({ team_id: id }) => id === teamId);
    const belongs = group !== null && names.has(group.toLowerCase());
    const user = person.handle;
    const event = { type: "team.changed", subject: `team/${handle}`, caller: SYSTEM } as const;
    if (belongs && !membership) {
      const member = { teamId, userId: person.id, level: "member", source: "group", at };
      await unit.queries.run(INSERT_MEMBER, member);
      const detail = { change: "member", user, level: "member" };
      await changes.event(unit, { ...event, detail });
    }
    if (!belongs && membership?.source === "group") {
      await unit.queries.run(DROP_MEMBER, { teamId, userId: person.id });
      await changes.event(unit, { ...event, detail: { change: "member-removed", user } });
    }
  }
  return isLast;
}

type FollowedGroups = {
  readonly person: Person;
  readonly role: Role | undefined;
  readonly groups: readonly string[];
  readonly at: Date;
};

const LAST = { lastAdministrator: true };

/**
 * Writes a role with its event, and renews the sessions of the user. True when the last active
 * administrator has lost the role.
 */
export async function writeRole(
  changes: Changes,
  unit: Unit,
  written: UserChange & { readonly role: Role; readonly source: Person["roleSource"] },
): Promise<boolean> {
  const { person, role, source, by } = written;
  const isLast = role !== "administrator" && (await isLastAdministrator(unit, person));
  await unit.queries.run(SET_ROLE, { id: person.id, role, source });
  if (role !== person.role) {
    // Long ago for the clocks of all instances.
    const due = new Date(changes.now().getTime() - 2 * ROTATION_MS);
    await unit.queries.run(RENEW_OF_USER, { userId: person.id, due });
  }
  const subject = `user/${person.handle}`;
  const isReturned = source === "group" && person.roleSource === "hand";
  const change = isReturned ? "role-by-groups" : "role";
  const detail = { change, role, ...(isLast && LAST) };
  await changes.event(unit, { type: "user.changed", subject, caller: by, detail });
  return isLast;
}

/**
 * Writes a state with its event; any state but `active` ends the access of the user. True when the
 * last active administrator has lost the access.
 */
export async function writeState(
  changes: Changes,
  unit: Unit,
  change: UserChange & { readonly state: UserState; readonly reason?: string | undefined },
): Promise<boolean> {
  const { person, state, by } = change;
  const isLast = state !== "active" && (await isLastAdministrator(unit, person));
  const reason = change.reason === undefined ? undefined : storableText(change.reason);
  const blockedFrom = state === "blocked" ? person.state : undefined;
  await unit.queries.run(SET_STATE, { id: person.id, state, reason, blockedFrom });
  if (state !== "active") await endAccess(unit, person.id);
  const subject = `user/${person.handle}`;
  const isSaid = reason !== undefined;
  const detail = { change: "state", state, ...(isSaid && { reason }), ...(isLast && LAST) };
  await changes.event(unit, { type: "user.changed", subject, caller: by, detail });
  return isLast;
}
