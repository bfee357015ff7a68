import type { Person, ServiceAccount } from "@sealhouse/identity";
import { openSessionsOf } from "@sealhouse/identity";
import { countOf } from "../kit/elements/format.ts";
import type { Ending } from "../kit/forms/ask-first.ts";
import type { PeopleSources } from "./people-sources.ts";

/** States what ends when a user is blocked. */
export async function blockEnding(sources: PeopleSources, person: Person): Promise<Ending> {
  const { id, handle } = person;
  const [teams, named, names, sessions] = await Promise.all([
    sources.userDetails.teams(id),
    sources.tokens.listNamed(handle),
    sources.ownerships.names(id),
    sessionsOf(sources, person),
  ]);
  const tokens = named.filter(({ userId, revokedAt }) => userId === id && !revokedAt);
  return {
    title: `Block ${handle}?`,
    ends: [
      `Stop working now: ${countOf(tokens.length, "token")} and ${countOf(sessions, "session")}.`,
      `${handle} stays in ${countOf(teams.length, "team")}.`,
      `${handle} owns ${countOf(names.length, "name")}.`,
    ],
    button: "Block the user",
  };
}

/** States what ends when all sessions of a user do. */
export async function sessionsEnding(sources: PeopleSources, person: Person): Promise<Ending> {
  return {
    title: `End the sessions of ${person.handle}?`,
    ends: [
      `End now: ${countOf(await sessionsOf(sources, person), "session")}.`,
      "Tokens stay valid.",
    ],
    button: "End the sessions",
  };
}

async function sessionsOf({ sessions, rules }: PeopleSources, person: Person): Promise<number> {
  return openSessionsOf(await sessions.ofUser(person.id), person, rules.now()).length;
}

/** States what ends when a service account is blocked. */
export async function accountEnding(
  { tokens }: PeopleSources,
  { id, name }: ServiceAccount,
): Promise<Ending> {
  const named = await tokens.listNamed(name);
  const own = named.filter(({ serviceAccountId, revokedAt }) => {
    return serviceAccountId === id && !revokedAt;
  });
  return {
    title: `Block the service account ${name}?`,
    ends: [`Stop working now: ${countOf(own.length, "token")}.`],
    button: "Block the service account",
  };
}

/** States what ends when a user leaves a team; undefined when the user is not a member. */
export async function memberEnding(
  { people, teams, ownerships }: PeopleSources,
  { team: teamHandle, user }: { readonly team: string; readonly user: string },
): Promise<Ending | undefined> {
  const [team, person] = await Promise.all([teams.find(teamHandle), people.find(user)]);
  if (!team || !person) return undefined;
  const members = await teams.members(team.id);
  const member = members.find(({ userId }) => userId === person.id);
  if (!member) return undefined;
  const names = await ownerships.names(team.id);
  return {
    title: `Remove ${user} from the team ${teamHandle}?`,
    ends: [
      `${user} loses the rights of a ${member.level} on ${countOf(names.length, "name")}.`,
      `The team keeps ${countOf(members.length - 1, "other member")}.`,
    ],
    button: "Remove the member",
  };
}
