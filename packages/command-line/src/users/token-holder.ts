import type { Database } from "@sealhouse/database";
import { findTokenHolder } from "@sealhouse/identity";
import type { Scope, TokenHolder } from "@sealhouse/identity";
import { CommandError } from "../command.ts";

/**
 * Finds the user or service account with this name, whose token it becomes. Without one, the token
 * belongs to the operators.
 *
 * @throws {CommandError} when the holder is not active, or its role lacks a scope
 */
export async function findHolderNamed(
  database: Database,
  name: string,
  scopes: readonly Scope[],
): Promise<TokenHolder> {
  const isUser = (await database.people.find(name)) !== undefined;
  const isAccount = !isUser && (await database.serviceAccounts.find(name)) !== undefined;
  const wanted = isUser ? { user: name } : isAccount ? { account: name } : {};
  const found = await findTokenHolder(database, wanted, scopes);
  if (found.status === "found") return found.holder;
  const isBeyond = found.status === "beyond-role";
  throw new CommandError(isBeyond ? `--scopes: ${found.text}` : found.text);
}
