import { randomUUID } from "node:crypto";
import { TEAM_LEVELS, TEAM_MEMBERS_MAX, teamGroupProblem } from "@sealhouse/identity";
import type { Database } from "@sealhouse/database";
import type { Team } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { printableLine } from "../printable.ts";
import { parseHandle, parseWord, requireTeam, requireUser, takenHandle } from "./find-people.ts";
import { openRows } from "../open-feed.ts";

export type TeamAddOptions = Json & { readonly name?: string; readonly group?: string };

export async function addTeam(
  command: Command,
  handle: string,
  { name: displayName = handle, group, json }: TeamAddOptions,
): Promise<number> {
  parseHandle(handle);
  if (group !== undefined) checkGroup(command, group);
  await using database = await openRows(command);
  const team: Team = {
    id: randomUUID(),
    handle,
    displayName,
    ...(group !== undefined && { groupRef: group }),
    createdAt: new Date(),
  };
  if ((await database.teams.add(team, operator())) === "taken") throw takenHandle(handle);
  if (json) command.stdout(JSON.stringify(await shownTeam(database, team), undefined, 2));
  else command.stderr(`Added the team ${handle}. Add members: sealhouse team member add`);
  return 0;
}

export async function listTeams(command: Command, { json }: Json): Promise<number> {
  await using database = await openRows(command);
  const teams = await database.teams.list();
  const shown = await Promise.all(teams.map((team) => shownTeam(database, team)));
  if (json) {
    command.stdout(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  if (shown.length === 0) command.stderr("There are no teams: sealhouse team add");
  for (const { handle, displayName, groupRef, members } of shown) {
    const handles = members.map((member) => `${member.handle} (${member.level})`);
    const group = groupRef === undefined ? [] : [`group ${printableLine(groupRef)}`];
    const list = handles.join(", ") || "no members";
    command.stdout([handle, printableLine(displayName), ...group, list].join("  "));
  }
  return 0;
}

export async function renameTeam(command: Command, handle: string, name: string): Promise<number> {
  await using database = await openRows(command);
  const { id } = await requireTeam(database, handle);
  await database.teams.change(id, { displayName: name }, operator());
  command.stderr(`The team ${handle} has the name ${name}. Its handle stays.`);
  return 0;
}

/** Without `group`, only administrators decide about members. */
export async function setTeamGroup(
  command: Command,
  handle: string,
  group: string | undefined,
): Promise<number> {
  if (group !== undefined) checkGroup(command, group);
  await using database = await openRows(command);
  const { id } = await requireTeam(database, handle);
  await database.teams.change(id, { groupRef: group }, operator());
  command.stderr(
    group === undefined
      ? `The team ${handle} has no group. Its members by hand stay.`
      : `The team ${handle} has the group ${group}. Its members by hand stay; others follow at ` +
          "their next sign-in or check.",
  );
  return 0;
}

/** @throws {CommandError} */
function checkGroup({ load }: Command, group: string): void {
  const problem = teamGroupProblem(group, load().config.signIn?.provider.name);
  if (problem !== undefined) throw new CommandError(`The group "${group}" ${problem}.`);
}

export async function addMember(
  command: Command,
  { team: handle, user }: { readonly team: string; readonly user: string },
  options: { readonly level: string },
): Promise<number> {
  const level = parseWord(TEAM_LEVELS, { option: "--level", text: options.level });
  await using database = await openRows(command);
  const team = await requireTeam(database, handle);
  const person = await requireUser(database, user);
  const outcome = await database.teams.setMember(team.id, { userId: person.id, level }, operator());
  if (outcome === "full") {
    const most = TEAM_MEMBERS_MAX.toLocaleString("en");
    throw new CommandError(`The team ${team.handle} has ${most} members, the most for one team.`);
  }
  command.stderr(`${person.handle} is a ${level} of the team ${team.handle}.`);
  return 0;
}

export async function removeMember(
  command: Command,
  { team: handle, user }: { readonly team: string; readonly user: string },
): Promise<number> {
  await using database = await openRows(command);
  const team = await requireTeam(database, handle);
  const person = await requireUser(database, user);
  const outcome = await database.teams.removeMember(team.id, person.id, operator());
  if (outcome === "absent") {
    throw new CommandError(`${person.handle} is not a member of the team ${team.handle}.`);
  }
  command.stderr(`Removed ${person.handle} from the team ${team.handle}.`);
  return 0;
}

async function shownTeam({ teams }: Database, { createdAt, ...team }: Team) {
  const members = (await teams.members(team.id)).map(({ handle, level, source }) => ({
    handle,
    level,
    source,
  }));
  return { ...team, createdAt: createdAt.toISOString(), members };
}
