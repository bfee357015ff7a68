import { randomUUID } from "node:crypto";
import { ROLES } from "@sealhouse/identity";
import type { People, Person, UserState } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { printableLine } from "../printable.ts";
import { openPeople, parseHandle, parseWord, requireUser, takenHandle } from "./open-people.ts";

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
  await using database = await openPeople(command);
  const { name: displayName = handle, email } = options;
  const id = randomUUID();
  const person = { id, handle, displayName, role, ...(email !== undefined && { email }) };
  const outcome = await database.people.add(person, new Date(), operator());
  if (outcome === "taken") throw takenHandle(handle);
  printUser(command, await requireUser(database, id), options, `Added the user ${handle}.`);
  return 0;
}

export async function listUsers(command: Command, { json }: Json): Promise<number> {
  await using database = await openPeople(command);
  const people = (await database.people.list()).map(shownUser);
  if (json) {
    command.stdout(JSON.stringify(people, undefined, 2));
    return 0;
  }
  if (people.length === 0) command.stderr("There are no users: sealhouse user add");
  for (const { handle, role, state, displayName, lastSignInAt } of people) {
    const use = lastSignInAt === undefined ? "never signed in" : `signed in ${lastSignInAt}`;
    command.stdout([handle, role, state, printableLine(displayName), use].join("  "));
  }
  return 0;
}

export async function setUserRole(
  command: Command,
  handle: string,
  options: Json & { readonly role: string },
): Promise<number> {
  const role = parseWord(ROLES, { option: "role", text: options.role });
  await using database = await openPeople(command);
  const person = await requireUser(database, handle);
  const outcome = await database.people.setRole(person.id, role, operator());
  if (outcome === "last") throw lastAdministrator(person.handle);
  const changed = await requireUser(database, person.id);
  printUser(command, changed, options, `${person.handle} has the role ${role}.`);
  return 0;
}

/** A change of the state of a user, from the states that it fits. */
export type StateChange = {
  readonly to: UserState;
  readonly from: readonly UserState[];
  /** `blocked`, for the output. */
  readonly done: string;
};

/** The commands that change a state. */
export const STATE_CHANGES = {
  approve: { to: "active", from: ["pending", "suspended"], done: "approved" },
  block: { to: "blocked", from: ["active", "pending", "suspended"], done: "blocked" },
  unblock: { to: "active", from: ["blocked"], done: "no longer blocked" },
} as const satisfies Readonly<Record<string, StateChange>>;

export async function setUserState(
  command: Command,
  handle: string,
  options: Json & { readonly change: StateChange; readonly reason?: string },
): Promise<number> {
  const { change, reason } = options;
  await using database = await openPeople(command);
  const person = await requireUser(database, handle);
  if (person.state !== change.to && !change.from.includes(person.state)) {
    throw new CommandError(`${person.handle} is ${person.state}. ${ADVICE[person.state]}`);
  }
  if ((await changeState(database.people, person, { change, reason })) === "last") {
    throw lastAdministrator(person.handle);
  }
  const changed = await requireUser(database, person.id);
  const { handle: name, state } = changed;
  const rest = state === change.to ? "." : `, and ${state} as before. ${ADVICE[state]}`;
  printUser(command, changed, options, `${name} is ${change.done}${rest}`);
  return 0;
}

/** Removes all passkeys of a user who has lost them. The next sign-in may add a first one. */
export async function forgetPasskeys(command: Command, handle: string): Promise<number> {
  await using database = await openPeople(command);
  const { id: userId, handle: name } = await requireUser(database, handle);
  const known = await database.passkeys.list(userId);
  for (const { credentialId } of known) {
    await database.passkeys.remove({ credentialId, userId }, operator());
  }
  command.stderr(`${name} has no passkeys now; removed: ${known.length}.`);
  return 0;
}

function changeState(
  people: People,
  { id }: Person,
  { change, reason }: { readonly change: StateChange; readonly reason: string | undefined },
) {
  // After a block the user gets the state that it would have without it.
  if (change === STATE_CHANGES.unblock) return people.unblock(id, operator());
  const wanted = { state: change.to, ...(reason !== undefined && { reason }) };
  return people.setState(id, wanted, operator());
}

const ADVICE = {
  pending: "Approve the user: sealhouse user approve",
  active: "Nothing was changed.",
  suspended: "The user becomes active by the next sign-in, or now: sealhouse user approve",
  blocked: "Unblock the user: sealhouse user unblock",
} as const satisfies Record<UserState, string>;

function lastAdministrator(handle: string): CommandError {
  return new CommandError(
    `${handle} is the last active administrator. Make another one first: ` +
      "sealhouse user role <handle> administrator",
  );
}

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
