import { openDatabase } from "@sealhouse/database";
import type { Database, TokenHolder } from "@sealhouse/database";
import type { TokenRecord } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";

/** Opens the database of the command's settings. */
export async function openTokens({ load }: Pick<Command, "load">): Promise<Database> {
  const { config } = load();
  return openDatabase(config.database, { migrate: config.migrateAtStart });
}

/**
 * Finds a token by its id, or by a unique beginning of it.
 *
 * @throws CommandError
 */
export function findTokenById(tokens: readonly TokenRecord[], id: string): TokenRecord {
  const [token, other] = tokens.filter((candidate) => candidate.id.startsWith(id));
  if (!token || id === "") throw new CommandError(`There is no token ${id}.`);
  if (other) throw new CommandError(`Several tokens begin with ${id}; write more of it.`);
  return token;
}

/** The options that name the holder of a token. */
export type HolderOptions = {
  readonly user?: string;
  readonly serviceAccount?: string;
};

/**
 * Finds the user or service account that the options name. Undefined without such an option.
 *
 * @throws CommandError
 */
export async function findHolder(
  { tokenHolders }: Pick<Database, "tokenHolders">,
  { user, serviceAccount }: HolderOptions,
): Promise<TokenHolder | undefined> {
  if (user !== undefined && serviceAccount !== undefined) {
    throw new CommandError("A token has one holder: use --user or --service-account.");
  }
  const kind = user === undefined ? "service account" : "user";
  const name = user ?? serviceAccount;
  if (name === undefined) return undefined;
  const holder = await tokenHolders.find(kind, name);
  if (!holder) throw new CommandError(`There is no ${kind} ${name}.`);
  return holder;
}
