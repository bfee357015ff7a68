import { randomBytes } from "node:crypto";
import {
  createToken,
  parseExpiry,
  parseNetworks,
  parsePatterns,
  parseProtocols,
  parseScopes,
  openPepper,
} from "@sealhouse/identity";
import { operator } from "../operator.ts";
import type { Command } from "../command.ts";
import { findHolder } from "../users/token-holder.ts";
import type { HolderOptions } from "../users/token-holder.ts";
import { holdersOf } from "./list-tokens.ts";
import { shownToken } from "./token-output.ts";
import { printDatabase, refuseOtherPepper } from "./token-places.ts";
import { openRows } from "../open-feed.ts";

/** Options of `token create`. */
export type TokenOptions = HolderOptions & {
  readonly name: string;
  readonly scopes: string;
  readonly expires: string;
  readonly protocols: string;
  readonly patterns: string;
  readonly networks: string;
  readonly json?: true;
};

/** Creates a token and prints its value once. */
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
  await using database = await openRows(command);
  const holder = await findHolder(database, options, tokenRequest.scopes);
  const record = { ...made.record, ...holder };
  const { token } = made;
  await database.tokens.insert(record, operator());
  printDatabase(command, config.database);
  if (options.json) {
    const shown = shownToken(record, now, await holdersOf(database, [record]));
    command.stdout(JSON.stringify({ token, ...shown }, undefined, 2));
    return 0;
  }
  const end = record.expiresAt ? `until ${record.expiresAt.toISOString()}` : "without expiry";
  command.stderr(`Token ${record.id} (${record.scopes.join(", ")}) is valid ${end}.`);
  command.stderr("Copy the token now; it is not shown again:");
  command.stdout(token);
  return 0;
}
