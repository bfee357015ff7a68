import { randomUUID } from "node:crypto";
import type { Caller } from "@sealhouse/request-types";
import { HANDLE_TAKEN, handleProblem } from "./handle.ts";
import { DISPLAY_NAME_MAX, lineProblem } from "./line-problem.ts";
import type { Person, Role } from "./person.ts";
import type { People } from "./ports.ts";
import type { ServiceAccount, ServiceAccounts } from "./service-accounts.ts";
import type { Team, Teams } from "./teams.ts";

/** A text that is not valid; `words` continue its name. */
export type TextProblem<Field extends string> = { readonly name: Field; readonly words: string };

/** Outcome of the addition of a user, a team or a service account. */
export type Added<Owner, Field extends string> =
  | { readonly status: "added"; readonly added: Owner }
  | { readonly status: "invalid"; readonly problems: readonly TextProblem<Field>[] }
  /** Another owner has or had the handle. */
  | { readonly status: "taken"; readonly problems: readonly TextProblem<Field>[] };

type Making = { readonly now: Date; readonly by: Caller };

/** Adds a user by hand, for commands and pages. An empty name is the handle. */
export async function addUser(
  people: Pick<People, "add" | "find">,
  texts: {
    readonly handle: string;
    readonly name?: string | undefined;
    readonly email?: string | undefined;
    readonly role: Role;
  },
  { now, by }: Making,
): Promise<Added<Person, "handle" | "name">> {
  const { handle, name = "", email, role } = texts;
  const problems = [...handleProblems("handle", handle), ...nameProblems(name)];
  if (problems.length > 0) return { status: "invalid", problems };
  const id = randomUUID();
  const mail = email === undefined ? {} : { email };
  const person = { id, handle, displayName: name || handle, role, ...mail };
  if ((await people.add(person, now, by)) === "taken") return taken("handle");
  const added = await people.find(id);
  if (!added) throw new Error(`The user ${handle} was added, and is not there.`);
  return { status: "added", added };
}

/** Adds a team, for commands and pages. An empty name is the handle. */
export async function addTeam(
  teams: Pick<Teams, "add">,
  texts: {
    readonly handle: string;
    readonly name?: string | undefined;
    readonly group?: string | undefined;
  },
  { now, by, groupProblem }: Making & { readonly groupProblem: GroupProblem },
): Promise<Added<Team, "handle" | "name" | "group">> {
  const { handle, name = "", group = "" } = texts;
  const problems = [
    ...handleProblems("handle", handle),
    ...teamProblems({ name, group }, groupProblem),
  ];
  if (problems.length > 0) return { status: "invalid", problems };
  const team: Team = {
    id: randomUUID(),
    handle,
    displayName: name || handle,
    ...(group !== "" && { groupRef: group }),
    createdAt: now,
  };
  if ((await teams.add(team, by)) === "taken") return taken("handle");
  return { status: "added", added: team };
}

/** Adds a service account, for commands and pages. */
export async function addServiceAccount(
  accounts: Pick<ServiceAccounts, "add">,
  { name, team }: { readonly name: string; readonly team?: Pick<Team, "id"> | undefined },
  { now, by }: Making,
): Promise<Added<ServiceAccount, "name">> {
  const problems = handleProblems("name", name);
  if (problems.length > 0) return { status: "invalid", problems };
  const account: ServiceAccount = {
    id: randomUUID(),
    name,
    ...(team && { teamId: team.id }),
    state: "active",
    createdAt: now,
  };
  if ((await accounts.add(account, by)) === "taken") return taken("name");
  return { status: "added", added: account };
}

/** Returns why a text cannot be the group of a team, as the end of a sentence. */
export type GroupProblem = (text: string) => string | undefined;

/** Returns the problems of the name and the group of a team. An empty group means none. */
export function teamProblems(
  { name, group }: { readonly name: string; readonly group: string },
  groupProblem: GroupProblem,
): readonly TextProblem<"name" | "group">[] {
  const words = group === "" ? undefined : groupProblem(group);
  return [
    ...nameProblems(name),
    ...(words === undefined ? [] : [{ name: "group", words } as const]),
  ];
}

function nameProblems(text: string): readonly TextProblem<"name">[] {
  const words = lineProblem(text, DISPLAY_NAME_MAX);
  return words === undefined ? [] : [{ name: "name", words }];
}

function handleProblems<Field extends string>(
  name: Field,
  text: string,
): readonly TextProblem<Field>[] {
  const words = handleProblem(text);
  return words === undefined ? [] : [{ name, words }];
}

function taken<Field extends string>(name: Field) {
  return { status: "taken", problems: [{ name, words: HANDLE_TAKEN }] } as const;
}
