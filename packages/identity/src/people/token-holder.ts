import type { Scope, TokenRecord } from "../ports.ts";
import type { People } from "./ports.ts";
import { scopesBeyond } from "./role-scopes.ts";
import type { ServiceAccounts } from "./service-accounts.ts";

/** The holder of a new token, by handle or id; at most one. None: the operators. */
export type WantedHolder = {
  readonly user?: string | undefined;
  readonly account?: string | undefined;
};

/** The fields of a token that name its holder. */
export type TokenHolder = Pick<TokenRecord, "owner" | "userId" | "serviceAccountId">;

/** Outcome of the search for a holder. `text` is for the person who asked. */
export type HolderFound =
  | { readonly status: "found"; readonly holder: TokenHolder }
  /** There is no such user or service account. */
  | { readonly status: "absent"; readonly text: string }
  /** The holder is not active. */
  | { readonly status: "inactive"; readonly text: string }
  /** The role of the user lacks a scope. `text` follows a colon. */
  | { readonly status: "beyond-role"; readonly text: string };

/** Lookups of the users and service accounts that may hold a token. */
export type HolderSources = {
  readonly people: Pick<People, "find">;
  readonly serviceAccounts: Pick<ServiceAccounts, "find">;
};

/** Finds the holder of a new token with these scopes. */
export async function findTokenHolder(
  sources: HolderSources,
  { user, account }: WantedHolder,
  scopes: readonly Scope[],
): Promise<HolderFound> {
  if (user !== undefined) return holderOfUser(sources, user, scopes);
  if (account === undefined) return { status: "found", holder: {} };
  const found = await sources.serviceAccounts.find(account);
  if (!found) {
    const text = `There is no service account "${account}": sealhouse account list`;
    return { status: "absent", text };
  }
  const { id, name, state } = found;
  if (state !== "active") {
    return { status: "inactive", text: `The service account ${name} is ${state}.` };
  }
  return { status: "found", holder: { owner: name, serviceAccountId: id } };
}

async function holderOfUser(
  { people }: HolderSources,
  handleOrId: string,
  scopes: readonly Scope[],
): Promise<HolderFound> {
  const person = await people.find(handleOrId);
  if (!person) {
    return { status: "absent", text: `There is no user "${handleOrId}": sealhouse user list` };
  }
  const { id, handle, role, state } = person;
  if (state !== "active") return { status: "inactive", text: `The user ${handle} is ${state}.` };
  const [beyond] = scopesBeyond(role, scopes);
  if (beyond === undefined) return { status: "found", holder: { owner: handle, userId: id } };
  const text =
    `the role ${role} of ${handle} does not include ${beyond}. To change the role: ` +
    `sealhouse user role ${handle} <role>`;
  return { status: "beyond-role", text };
}
