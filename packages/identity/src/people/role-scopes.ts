import type { Scope } from "../ports.ts";
import { ADMINISTRATIVE_SCOPES } from "../scope.ts";
import type { Role } from "./person.ts";

const CONSUMER: readonly Scope[] = ["read"];
const PUBLISHER: readonly Scope[] = ["read", "stage", "publish", "write", "delete"];
const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  consumer: CONSUMER,
  publisher: PUBLISHER,
  administrator: [...PUBLISHER, "admin", ...ADMINISTRATIVE_SCOPES],
};

/** Returns the scopes of a new token that its user may not have. */
export function scopesBeyond(role: Role, scopes: readonly Scope[]): readonly Scope[] {
  return scopes.filter((scope) => !SCOPES_OF[role].includes(scope));
}

/** Reduces the scopes of a token to those that its user may have now. */
export function scopesWithin(role: Role, scopes: readonly Scope[]): readonly Scope[] {
  // The scope `admin` includes all others, also those that the role has.
  if (scopes.includes("admin")) return SCOPES_OF[role];
  return scopes.filter((scope) => SCOPES_OF[role].includes(scope));
}
