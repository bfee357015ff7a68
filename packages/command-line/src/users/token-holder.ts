import type { Database } from "@sealhouse/database";
import { scopesBeyond } from "@sealhouse/identity";
import type { Scope, TokenRecord } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import { requireAccount, requireUser } from "./find-people.ts";

/** The holder of a new token; at most one. */
export type HolderOptions = { readonly user?: string; readonly account?: string };

/** The fields of a token that name its holder. */
export type TokenHolder = Pick<TokenRecord, "owner" | "userId" | "serviceAccountId">;

/**
 * Finds the holder of a new token. Without options the token belongs to the operators.
 *
 * @throws {CommandError} when the holder is not active, or its role lacks a scope
 */
export async function findHolder(
  database: Database,
  { user, account }: HolderOptions,
  scopes: readonly Scope[],
): Promise<TokenHolder> {
  if (user !== undefined && account !== undefined) {
    throw new CommandError("A token belongs to a user or a service account: leave one option out.");
  }
  if (user !== undefined) return holderOfUser(database, user, scopes);
  if (account === undefined) return {};
  const { id, name, state } = await requireAccount(database, account);
  if (state !== "active") throw new CommandError(`The service account ${name} is ${state}.`);
  return { owner: name, serviceAccountId: id };
}

/**
 * Finds the user or service account with this name, whose token it becomes. Without one, the token
 * belongs to the operators.
 *
 * @throws {CommandError} as `findHolder` does
 */
export async function findHolderNamed(
  database: Database,
  name: string,
  scopes: readonly Scope[],
): Promise<TokenHolder> {
  if (await database.people.find(name)) return findHolder(database, { user: name }, scopes);
  if (!(await database.serviceAccounts.find(name))) return {};
  return findHolder(database, { account: name }, scopes);
}

async function holderOfUser(
  database: Database,
  handleOrId: string,
  scopes: readonly Scope[],
): Promise<TokenHolder> {
  const { id, handle, role, state } = await requireUser(database, handleOrId);
  if (state !== "active") throw new CommandError(`The user ${handle} is ${state}.`);
  const [beyond] = scopesBeyond(role, scopes);
  if (beyond !== undefined) {
    throw new CommandError(
      `--scopes: the role ${role} of ${handle} does not include ${beyond}. To change the role: ` +
        `sealhouse user role ${handle} <role>`,
    );
  }
  return { owner: handle, userId: id };
}
