import { randomBytes } from "node:crypto";
import { openDatabase } from "@sealhouse/database";
import type { Database, DatabaseConfig } from "@sealhouse/database";
import {
  CHILDREN_MAX,
  createToken,
  parseExpiry,
  parseNetworks,
  parsePatterns,
  parseProtocols,
  parseScopes,
  replacementOf,
  openPepper,
} from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import type { RunningHost, RunningHosts } from "../ports.ts";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { findHolder } from "../users/token-holder.ts";
import type { HolderOptions } from "../users/token-holder.ts";

export type TokenOptions = HolderOptions & {
  readonly name: string;
  readonly scopes: string;
  readonly expires: string;
  readonly protocols: string;
  readonly patterns: string;
  readonly networks: string;
  readonly json?: true;
};

type Json = { readonly json?: boolean };

export async function createTokenCommand(command: Command, options: TokenOptions): Promise<number> {
  const { config } = command.load();
  const now = new Date();
  const tokenRequest = {
    name: options.name,
    scopes: parseScopes(options.scopes),
    expiresAt: parseExpiry(options.expires, now),
    protocols: parseProtocols(options.protocols),
    patterns: parsePatterns(options.patterns),
    networks: parseNetworks(options.networks),
  };
  const pepper = await openPepper(config.host.pepper);
  refuseOtherPepper(command, { database: config.database, pepper });
  const made = createToken(tokenRequest, { pepper, now, random: randomBytes });
  await using database = await openTokens(command);
  const holder = await findHolder(database, options, tokenRequest.scopes);
  const { token } = made;
  const record = { ...made.record, ...holder };
  await database.tokens.insert(record, operator());
  printDatabase(command, config.database);
  if (options.json) {
    command.stdout(JSON.stringify({ token, ...shownToken(record, now) }, undefined, 2));
    return 0;
  }
  const end = record.expiresAt ? `until ${record.expiresAt.toISOString()}` : "without expiry";
  command.stderr(`Token ${record.id} (${record.scopes.join(", ")}) is valid ${end}.`);
  command.stderr("Copy the token now; it is not shown again:");
  command.stdout(token);
  return 0;
}

/**
 * A running host accepts no token that another pepper made.
 *
 * @throws CommandError
 */
function refuseOtherPepper(
  { hosts }: Pick<Command, "hosts">,
  { database, pepper }: { readonly database: DatabaseConfig; readonly pepper: string },
): void {
  const place = hosts.placeOf(database);
  const fingerprint = hosts.fingerprintOf(pepper);
  const same = hosts.list().filter((host) => host.place === place);
  const other = same.find((host) => host.pepper !== fingerprint);
  if (!other) return;
  throw new CommandError(
    `The registry that runs as process ${other.pid} uses the same database with another ` +
      `Host__TokenHashPepper, so it would refuse the token. ${remedyFor(other, hosts)}`,
  );
}

/** A token is valid only where it was written, and settings are easily forgotten. */
function printDatabase(
  { hosts, stderr }: Pick<Command, "hosts" | "stderr">,
  database: DatabaseConfig,
): void {
  const place = hosts.placeOf(database);
  stderr(`Database: ${place}.`);
  const running = hosts.list();
  if (running.some((host) => host.place === place)) return;
  for (const host of running) {
    stderr(
      `Warning: the registry that runs as process ${host.pid} uses another database: ` +
        `${host.place}. This token is not valid there. ${remedyFor(host, hosts)}`,
    );
  }
}

function remedyFor({ pid, workingFolder }: RunningHost, hosts: RunningHosts): string {
  const settingsOption = hosts.settingsOption(pid);
  const option = settingsOption === undefined ? "" : `, or add ${settingsOption}`;
  const variables = `the environment variables of the registry${option}`;
  return `Run the command in ${workingFolder}, with ${variables}.`;
}

export async function listTokens(command: Command, { json = false }: Json): Promise<number> {
  await using database = await openTokens(command);
  const now = new Date();
  const tokens = (await database.tokens.list()).map((record) => shownToken(record, now));
  if (json) {
    command.stdout(JSON.stringify(tokens, undefined, 2));
    return 0;
  }
  if (tokens.length === 0) command.stderr("There are no tokens yet: sealhouse token create");
  for (const { id, name, state, scopes, expiresAt, lastUsedAt } of tokens) {
    const end = expiresAt === undefined ? "never expires" : `expires ${expiresAt.slice(0, 10)}`;
    const use = lastUsedAt === undefined ? "never used" : `last used ${lastUsedAt}`;
    command.stdout([id, state, scopes.join(","), name, end, use].join("  "));
  }
  return 0;
}

export async function revokeToken(command: Command, id: string, { json }: Json): Promise<number> {
  await using database = await openTokens(command);
  const token = await findMeant(database, id);
  const outcome = await database.tokens.revoke(token.id, new Date(), operator());
  if (json === true) command.stdout(JSON.stringify({ id: token.id, outcome }));
  else if (outcome === "unchanged") command.stderr(`${token.name} was revoked before.`);
  else command.stderr(`${token.name} (${token.id}) is revoked, and so is what was made from it.`);
  return outcome === "absent" ? 1 : 0;
}

type ReplaceOptions = Json & { readonly expires: string };

/** Creates a token that replaces an old one. The old token stays valid until it is revoked. */
export async function replaceTokenCommand(
  command: Command,
  id: string,
  options: ReplaceOptions,
): Promise<number> {
  const { config } = command.load();
  const now = new Date();
  const pepper = await openPepper(config.host.pepper);
  refuseOtherPepper(command, { database: config.database, pepper });
  await using database = await openTokens(command);
  const replaced = await findMeant(database, id);
  const { parentId } = replaced;
  const parent = parentId === undefined ? undefined : await database.tokens.findById(parentId);
  const end = earlier(parseExpiry(options.expires, now), parent?.expiresAt);
  const making = { pepper, now, random: randomBytes };
  const { token, record } = replacementOf(replaced, end, making);
  const outcome = await database.tokens.replace(replaced.id, record, operator());
  if (outcome === "absent") {
    throw new CommandError(`The token ${replaced.id} is revoked: create a new one instead.`);
  }
  if (outcome === "crowded") {
    throw new CommandError(
      `The token ${parentId} created ${replaced.id} and has ${CHILDREN_MAX} valid tokens, which ` +
        "is the limit. Revoke one of them first.",
    );
  }
  if (options.json === true) {
    command.stdout(JSON.stringify({ token, ...shownToken(record, now) }, undefined, 2));
    return 0;
  }
  command.stderr(`Token ${record.id} replaces ${replaced.id} and has the same scopes and limits.`);
  command.stderr(`When all clients use it: sealhouse token revoke ${replaced.id}`);
  command.stderr("Copy the token now; it is not shown again:");
  command.stdout(token);
  return 0;
}

function earlier(time: Date | undefined, other: Date | undefined): Date | undefined {
  if (!time || !other) return time ?? other;
  return time < other ? time : other;
}

async function findMeant(database: Database, id: string): Promise<TokenRecord> {
  const matches = (await database.tokens.list()).filter((token) => token.id.startsWith(id));
  const [token, other] = matches;
  if (!token || id === "") throw new CommandError(`There is no token ${id}.`);
  if (other) throw new CommandError(`Several tokens begin with ${id}; write more of it.`);
  return token;
}

async function openTokens({ load }: Command): Promise<Database> {
  const { config } = load();
  return openDatabase(config.database, { migrate: config.migrateAtStart });
}

/** Everything but the hash. */
function shownToken(record: TokenRecord, now: Date) {
  const { hash: _hash, scheme: _scheme, createdAt, expiresAt, revokedAt, ...rest } = record;
  const { lastUsedAt, ...shown } = rest;
  const expired = expiresAt !== undefined && expiresAt <= now;
  return {
    ...shown,
    state: revokedAt ? "revoked" : expired ? "expired" : "active",
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString(),
    revokedAt: revokedAt?.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString(),
  };
}
