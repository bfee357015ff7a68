import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { LEVELS, nameKeyOf, OWNERS_OF_NAME_MAX } from "@sealhouse/identity";
import type { Level, OwnableName, Owner } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { printableLine } from "../printable.ts";
import { protocolIn } from "../sources/protocol-in.ts";

/** A name as the command line has it. */
export type NameWords = { readonly protocol: string; readonly name: string };

export async function listOwners(
  command: Command,
  words: NameWords,
  { json }: Json,
): Promise<number> {
  const name = nameIn(words);
  await using database = await openOwners(command);
  const owners = await database.ownership.ownerships.list(name);
  if (json) {
    command.stdout(JSON.stringify(owners, undefined, 2));
    return 0;
  }
  if (owners.length === 0) command.stderr(`${words.name} has no owners.`);
  for (const { handle, kind, level } of owners) command.stdout([handle, kind, level].join("  "));
  return 0;
}

export async function addOwnerOf(
  command: Command,
  options: NameWords & Json & { readonly handle: string; readonly level: string },
): Promise<number> {
  const { json } = options;
  const name = nameIn(options);
  const level = levelIn(options.level);
  await using database = await openOwners(command);
  const owner = await requireOwner(database, options.handle);
  const { ownerships } = database.ownership;
  const outcome = await ownerships.grant(name, { ...owner, level }, operator());
  if (outcome === "last") throw lastOwner(options.name);
  if (outcome === "full") {
    const problem = `has ${OWNERS_OF_NAME_MAX} owners, the most for one name`;
    throw new CommandError(`${options.name} ${problem}: remove some, or make a team an owner.`);
  }
  const { handle } = owner;
  if (json) command.stdout(JSON.stringify({ ...name, handle, level, outcome }));
  else if (outcome === "unchanged") command.stderr(`${handle} has the level ${level} already.`);
  else command.stderr(`${handle} has the level ${level} on ${options.name}.`);
  return 0;
}

export async function removeOwnerOf(
  command: Command,
  options: NameWords & Json & { readonly handle: string },
): Promise<number> {
  const name = nameIn(options);
  await using database = await openOwners(command);
  const { id, handle } = await requireOwner(database, options.handle);
  const outcome = await database.ownership.ownerships.revoke(name, id, operator());
  if (outcome === "last") throw lastOwner(options.name);
  if (options.json) command.stdout(JSON.stringify({ ...name, handle, outcome }));
  else if (outcome === "absent") command.stderr(`${handle} is not an owner of ${options.name}.`);
  else command.stderr(`${handle} is no longer an owner of ${options.name}.`);
  return outcome === "absent" ? 1 : 0;
}

/** Prints the names that stay without owners, and the publishers that did not become owners. */
export async function importOwners(command: Command, { json }: Json): Promise<number> {
  await using database = await openOwners(command);
  const outcome = await database.ownership.unowned.adoptPublishers(operator());
  const { adopted, left, crowded } = outcome;
  if (json) {
    command.stdout(JSON.stringify(outcome, undefined, 2));
    return 0;
  }
  command.stderr(`${adopted} names have owners now.`);
  for (const { protocol, name, others } of crowded) {
    const count = others.length === 1 ? "1 publisher" : `${others.length} publishers`;
    const words = `${protocol} ${name} has ${OWNERS_OF_NAME_MAX} owners, the most for one name`;
    command.stderr(printableLine(`${words}; ${count} did not become owners: ${others.join(", ")}`));
  }
  if (left.length === 0) return 0;
  command.stderr(`${left.length} names have no publisher that is a user or a team:`);
  for (const { protocol, name } of left) command.stdout(`${protocol}  ${name}`);
  command.stderr("Add their owners: sealhouse owner add <protocol> <name> <handle>");
  return 0;
}

export function nameIn({ protocol, name }: NameWords): OwnableName {
  const known = protocolIn(protocol);
  return { protocol: known, name: nameKeyOf(known, name) };
}

/** @throws CommandError */
export function levelIn(text: string): Level {
  const level = LEVELS.find((known) => known === text);
  if (level) return level;
  throw new CommandError(`"${text}" is not a level; allowed: ${LEVELS.join(", ")}.`);
}

/** @throws CommandError */
export async function requireOwner(database: Database, handle: string): Promise<Owner> {
  const owner = await database.ownership.ownerships.find(handle);
  if (owner) return owner;
  throw new CommandError(
    `There is no user or team ${handle}. See: sealhouse user list, sealhouse team list`,
  );
}

export async function openOwners({ load }: Command): Promise<Database> {
  const { config } = load();
  return openDatabase(config.database, { migrate: config.migrateAtStart });
}

function lastOwner(name: string): CommandError {
  return new CommandError(
    `${name} must keep an owner with the level manage: add another one before you remove the last.`,
  );
}
