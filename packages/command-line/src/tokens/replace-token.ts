import { randomBytes } from "node:crypto";
import { CHILDREN_MAX, openPepper, parseExpiry, replaceToken } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { findTokenById } from "./find-token.ts";
import { holdersOf } from "./list-tokens.ts";
import { shownToken } from "./token-output.ts";
import { refuseOtherPepper } from "./token-places.ts";
import { openRows } from "../open-feed.ts";

/** Options of `token replace`. */
export type ReplaceOptions = Json & { readonly expires: string };

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
  await using database = await openRows(command);
  const all = await database.tokens.list();
  const replaced = findTokenById(all, id);
  const expiresAt = parseExpiry(options.expires, now);
  const change = { replaced, all, expiresAt, by: operator() };
  const outcome = await replaceToken(database.tokens, change, { pepper, now, random: randomBytes });
  if (outcome.status === "leaked") throw leaked(replaced.id);
  if (outcome.status === "absent") {
    throw new CommandError(`The token ${replaced.id} is revoked: create a new one instead.`);
  }
  if (outcome.status === "crowded") {
    throw new CommandError(
      `The token ${replaced.parentId} created ${replaced.id} and has ${CHILDREN_MAX} valid ` +
        "tokens, which is the limit. Revoke one of them first.",
    );
  }
  const { token, record } = outcome;
  if (options.json === true) {
    const holders = await holdersOf(database, [record]);
    command.stdout(JSON.stringify({ token, ...shownToken(record, now, holders) }, undefined, 2));
    return 0;
  }
  command.stderr(`Token ${record.id} replaces ${replaced.id} and has the same scopes and limits.`);
  command.stderr(`When all clients use it: sealhouse token revoke ${replaced.id}`);
  command.stderr("Copy the token now; it is not shown again:");
  command.stdout(token);
  return 0;
}

function leaked(id: string): CommandError {
  return new CommandError(
    `The token ${id} was reported as leaked, so it cannot be replaced. Create a new one: ` +
      "sealhouse token create",
  );
}
