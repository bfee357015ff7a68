import type { Database } from "@sealhouse/database";
import { ownerOf, parseExpiry } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { requireAccount, requireUser } from "../users/find-people.ts";
import type { HolderOptions } from "../users/token-holder.ts";
import { lineOfToken, shownToken } from "./token-output.ts";
import type { ShownHolder } from "./token-output.ts";
import { openRows } from "../open-feed.ts";

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
  await using database = await openRows(command);
  const holderId = await holderIdOf(database, options);
  const tokens = (await database.tokens.list())
    .filter((token) => owner === undefined || ownerOf(token) === owner)
    .filter((token) => holderId === undefined || isHeldBy(token, holderId))
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
  { people, serviceAccounts }: Pick<Database, "people" | "serviceAccounts">,
  tokens: readonly TokenRecord[],
): Promise<readonly ShownHolder[]> {
  const isHeld = ({ userId, serviceAccountId }: TokenRecord) =>
    userId !== undefined || serviceAccountId !== undefined;
  if (!tokens.some(isHeld)) return [];
  const users = await people.list();
  const accounts = await serviceAccounts.list();
  return [
    ...users.map(({ id, handle }) => ({ kind: "user" as const, id, name: handle })),
    ...accounts.map(({ id, name }) => ({ kind: "service account" as const, id, name })),
  ];
}

async function holderIdOf(
  database: Database,
  { user, account }: HolderOptions,
): Promise<string | undefined> {
  if (user !== undefined) return (await requireUser(database, user)).id;
  return account === undefined ? undefined : (await requireAccount(database, account)).id;
}

function isHeldBy({ userId, serviceAccountId }: TokenRecord, holderId: string): boolean {
  return userId === holderId || serviceAccountId === holderId;
}

function expiresBetween({ expiresAt }: TokenRecord, now: Date, until: Date): boolean {
  return expiresAt !== undefined && expiresAt > now && expiresAt <= until;
}
