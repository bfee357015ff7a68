import type { Database, TokenHolder } from "@sealhouse/database";
import { ownerOf, parseExpiry } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { findHolder, openTokens } from "./find-token.ts";
import type { HolderOptions } from "./find-token.ts";
import { lineOfToken, shownToken } from "./token-output.ts";

/** Filters of `token list`; a token must pass all. */
export type ListOptions = Json &
  HolderOptions & {
    readonly owner?: string;
    readonly state?: string;
    readonly expiresWithin?: string;
    readonly unused?: true;
    readonly leaked?: true;
  };

const STATES = ["active", "expired", "revoked"];

/** Lists tokens without their values. */
export async function listTokens(command: Command, options: ListOptions): Promise<number> {
  const { owner, state, expiresWithin, unused, leaked } = options;
  if (state !== undefined && !STATES.includes(state)) {
    throw new CommandError(
      `"${state}" is not a state of tokens. Use any of: ${STATES.join(", ")}.`,
    );
  }
  const now = new Date();
  const until = expiresWithin === undefined ? undefined : parseExpiry(expiresWithin, now);
  await using database = await openTokens(command);
  const holder = await findHolder(database, options);
  const tokens = (await database.tokens.list())
    .filter((token) => owner === undefined || ownerOf(token) === owner)
    .filter((token) => holder === undefined || isHeldBy(token, holder))
    .filter((token) => until === undefined || expiresBetween(token, now, until))
    .filter((token) => unused !== true || token.lastUsedAt === undefined)
    .filter((token) => leaked !== true || token.leakedAt !== undefined);
  const holders = await holdersOf(database, tokens);
  const shown = tokens
    .map((record) => shownToken(record, now, holders))
    .filter((token) => state === undefined || token.state === state);
  if (options.json === true) {
    command.stdout(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  if (shown.length === 0) command.stderr(EMPTY);
  for (const token of shown) command.stdout(lineOfToken(token));
  return 0;
}

const EMPTY = "There are no such tokens. To create one: sealhouse token create";

/** Returns the names of holders; no query when no token has one. */
export async function holdersOf(
  { tokenHolders }: Pick<Database, "tokenHolders">,
  tokens: readonly TokenRecord[],
): Promise<readonly TokenHolder[]> {
  const isHeld = ({ userId, serviceAccountId }: TokenRecord) =>
    userId !== undefined || serviceAccountId !== undefined;
  return tokens.some(isHeld) ? tokenHolders.list() : [];
}

function isHeldBy({ userId, serviceAccountId }: TokenRecord, { id }: TokenHolder): boolean {
  return userId === id || serviceAccountId === id;
}

function expiresBetween({ expiresAt }: TokenRecord, now: Date, until: Date): boolean {
  return expiresAt !== undefined && expiresAt > now && expiresAt <= until;
}
