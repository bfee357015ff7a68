import type { Database } from "@sealhouse/database";
import type { Person, ServiceAccount, Team } from "@sealhouse/identity";
import { HANDLE_TAKEN, handleProblem } from "@sealhouse/identity";
import { CommandError } from "../command.ts";

/** @throws {CommandError} */
export async function requireUser({ people }: Database, handle: string): Promise<Person> {
  const person = await people.find(handle);
  if (!person) throw new CommandError(`There is no user "${handle}": sealhouse user list`);
  return person;
}

/** @throws {CommandError} */
export async function requireTeam({ teams }: Database, handle: string): Promise<Team> {
  const team = await teams.find(handle);
  if (!team) throw new CommandError(`There is no team "${handle}": sealhouse team list`);
  return team;
}

/** @throws {CommandError} */
export async function requireAccount(
  { serviceAccounts }: Database,
  name: string,
): Promise<ServiceAccount> {
  const account = await serviceAccounts.find(name);
  if (!account) {
    throw new CommandError(`There is no service account "${name}": sealhouse account list`);
  }
  return account;
}

/** @throws {CommandError} */
export function parseHandle(text: string): string {
  const problem = handleProblem(text);
  if (problem !== undefined) throw new CommandError(`"${text}" ${problem}.`);
  return text;
}

/** The refusal of a handle that another user, team or service account has or had. */
export function takenHandle(handle: string): CommandError {
  return new CommandError(`The handle "${handle}" ${HANDLE_TAKEN}.`);
}

/**
 * Parses one of several words.
 *
 * @throws {CommandError}
 */
export function parseWord<T extends string>(
  words: readonly T[],
  { option, text }: { readonly option: string; readonly text: string },
): T {
  const word = words.find((known) => known === text);
  if (word === undefined) {
    throw new CommandError(`${option}: "${text}" is not one of ${words.join(", ")}`);
  }
  return word;
}
