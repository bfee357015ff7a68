import { randomUUID } from "node:crypto";
import { changeRole, changeState, ROLES, USER_ACTIONS } from "@sealhouse/identity";
import type { Person, UserAction, UserChanged, UserState } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { printableLine } from "../printable.ts";
import { parseHandle, parseWord, requireUser, takenHandle } from "./find-people.ts";
import { openRows } from "../open-feed.ts";

export type UserAddOptions = Json & {
  readonly name?: string;
  readonly email?: string;
  readonly role: string;
};

export async function addUser(
  command: Command,
  handle: string,
  options: UserAddOptions,
): Promise<number> {
  parseHandle(handle);
  const role = parseWord(ROLES, { option: "--role", text: options.role });
  await using database = await openRows(command);
  const { name: displayName = handle, email } = options;
  const id = randomUUID();
  const person = { id, handle, displayName, role, ...(email !== undefined && { email }) };
  const outcome = await database.people.add(person, new Date(), operator());
  if (outcome === "taken") throw takenHandle(handle);
  printUser(command, await requireUser(database, id), options, `Added the user ${handle}.`);
  return 0;
}

export async function listUsers(command: Command, { json }: Json): Promise<number> {
  await using database = await openRows(command);
  const people = (await database.people.list()).map(shownUser);
  if (json) {
    command.stdout(JSON.stringify(people, undefined, 2));
    return 0;
  }
  if (people.length === 0) command.stderr("There are no users: sealhouse user add");
  for (const { handle, role, state, displayName, email, lastSignInAt } of people) {
    const use = lastSignInAt === undefined ? "never signed in" : `signed in ${lastSignInAt}`;
    const mail = email === undefined ? ["gets no mail: no usable address"] : [];
    command.stdout([handle, role, state, printableLine(displayName), use, ...mail].join("  "));
  }
  return 0;
}

export async function setUserRole(
  command: Command,
  handle: string,
  options: Json & { readonly role: string },
): Promise<number> {
  const word = parseWord([...ROLES, "groups"], { option: "role", text: options.role });
  await using database = await openRows(command);
  const person = await requireUser(database, handle);
  const role = word === "groups" ? "group" : word;
  const changed = await changeRole(database.people, person, { role, by: operator() });
  return printChange(command, changed, options);
}

/** `reason` is for administrators. */
export async function setUserState(
  command: Command,
  handle: string,
  options: Json & { readonly action: UserAction; readonly reason?: string },
): Promise<number> {
  const { action, reason } = options;
  await using database = await openRows(command);
  const person = await requireUser(database, handle);
  const change = { action, reason, by: operator() };
  const changed = await changeState(database.people, person, change);
  if (changed.status === "refused" && changed.why === "state") {
    throw new CommandError(`${changed.text} ${ADVICE[person.state]}`);
  }
  return printChange(command, changed, options, action);
}

/** @throws {CommandError} when the change was refused */
function printChange(
  command: Command,
  changed: UserChanged,
  options: Json,
  action?: UserAction,
): number {
  if (changed.status === "refused") {
    throw new CommandError(`${changed.text} To do so: sealhouse user role <handle> administrator`);
  }
  const { person, text } = changed;
  const isAsWanted = action === undefined || person.state === USER_ACTIONS[action].to;
  printUser(command, person, options, isAsWanted ? text : `${text} ${ADVICE[person.state]}`);
  return 0;
}

/** Removes all passkeys of a user who has lost them. The next sign-in may add a first one. */
export async function forgetPasskeys(command: Command, handle: string): Promise<number> {
  await using database = await openRows(command);
  const { id: userId, handle: name } = await requireUser(database, handle);
  const known = await database.passkeys.list(userId);
  for (const { credentialId } of known) {
    await database.passkeys.remove({ credentialId, userId }, operator());
  }
  command.stderr(`${name} has no passkeys now; removed: ${known.length}.`);
  return 0;
}

const ADVICE = {
  pending: "Approve the user: sealhouse user approve",
  active: "Nothing was changed.",
  suspended: "The user becomes active by the next sign-in, or now: sealhouse user approve",
  blocked: "Unblock the user: sealhouse user unblock",
} as const satisfies Record<UserState, string>;

function printUser({ stdout, stderr }: Command, person: Person, { json }: Json, line: string) {
  if (json) stdout(JSON.stringify(shownUser(person), undefined, 2));
  else stderr(line);
}

function shownUser(person: Person) {
  const { epoch: _, createdAt, validatedAt, lastSignInAt, ...shown } = person;
  return {
    ...shown,
    createdAt: createdAt.toISOString(),
    validatedAt: validatedAt?.toISOString(),
    lastSignInAt: lastSignInAt?.toISOString(),
  };
}
