import { coversToken, deriveToken, TOO_MANY_CHILDREN } from "../derive-token.ts";
import { TokenSettingError } from "../errors.ts";
import { findToken } from "../find-token.ts";
import type { Scope, TokenRecord } from "../ports.ts";
import { isNarrow, ownerOf, principalOf } from "../principal.ts";
import type {
  AccountHolder,
  AccountOptions,
  AccountPermission,
  AccountToken,
  AccountTokens,
  NewAccountToken,
} from "./account-types.ts";

/** Minimum length of the beginning of an id. */
const ID_PART_MIN = 6;

const REVOKED = "The token in use was revoked.";

/** Lists, creates and revokes the tokens of a holder, as `npm token` does. */
export function createAccountTokens(options: AccountOptions): AccountTokens {
  return {
    list: async (holder) => (await visibleTo(options, holder)).map(tokenOf),
    create: (holder, newToken) => create(options, holder, newToken),
    revoke: (holder, idOrValue) => revoke(options, holder, idOrValue),
  };
}

async function create(
  { tokens, protocol, pepper, random, now }: AccountOptions,
  holder: AccountHolder,
  { name, permission, names, networks, expiresAt }: NewAccountToken,
): ReturnType<AccountTokens["create"]> {
  const own = await tokens.findById(holder.tokenId);
  if (!own) return { status: "refused", reason: REVOKED };
  const newToken = {
    name,
    scopes: scopesFor(principalOf(own).scopes, permission),
    protocols: [protocol],
    patterns: names ?? [],
    networks: networks ?? [],
    expiresAt,
  } as const;
  try {
    const making = { pepper, now: now(), random };
    const { token: value, record } = deriveToken(principalOf(own), newToken, making);
    const outcome = await tokens.insert(record, holder);
    if (outcome === "orphan") return { status: "refused", reason: REVOKED };
    if (outcome === "crowded") return { status: "refused", reason: TOO_MANY_CHILDREN };
    return { status: "created", value, token: tokenOf(record) };
  } catch (error) {
    if (!(error instanceof TokenSettingError)) throw error;
    return { status: "refused", reason: error.message };
  }
}

async function revoke(
  options: AccountOptions,
  holder: AccountHolder,
  idOrValue: string,
): ReturnType<AccountTokens["revoke"]> {
  const { tokens, now, pepper } = options;
  const byValue = await findToken(tokens, idOrValue, pepper);
  const visible = await visibleTo(options, holder);
  const matches = byValue ? [byValue] : visible.filter(({ id }) => beginsWith(id, idOrValue));
  const [token, other] = matches;
  if (!token) return "absent";
  if (other) return "several";
  const own = await tokens.findById(holder.tokenId);
  // The value of a token is enough to revoke it, as for a sign-out.
  const mayRevoke = byValue ?? (own && (own.id === token.id || mayChange(ownNow(own), token)));
  if (!mayRevoke) return "refused";
  const outcome = await tokens.revoke(token.id, now(), holder);
  return outcome === "absent" ? "absent" : "revoked";
}

/** The token with the scopes that its user may have now. */
function ownNow(own: TokenRecord): TokenRecord {
  return { ...own, scopes: principalOf(own).scopes };
}

/** A narrow token never changes tokens with the scope `admin`. */
function mayChange(own: TokenRecord, token: TokenRecord): boolean {
  if (isNarrow(own) && token.scopes.includes("admin")) return false;
  return coversToken(own, token);
}

function beginsWith(id: string, part: string): boolean {
  const plain = keyOf(part);
  return plain.length >= ID_PART_MIN && keyOf(id).startsWith(plain);
}

/** Removes the dashes: npm prints stars for a text that looks like a UUID. */
function keyOf(id: string): string {
  return id.replaceAll("-", "");
}

/** Returns the valid tokens of the same owner; for an administrator also those that it covers. */
async function visibleTo(
  { tokens, now }: AccountOptions,
  { actor, tokenId }: AccountHolder,
): Promise<readonly TokenRecord[]> {
  const own = await tokens.findById(tokenId);
  const isAdmin = own !== undefined && principalOf(own).scopes.includes("admin");
  const records = isAdmin ? await tokens.list() : await tokens.listNamed(actor);
  const time = now();
  return records.filter((token) => {
    // Tokens without an owner have independent holders, even with equal names.
    const isNamed = token.owner !== undefined && ownerOf(token) === actor;
    const isOwn = token.id === tokenId || (isNamed && hasSameHolder(own, token));
    const isValid = !token.revokedAt && (!token.expiresAt || token.expiresAt > time);
    return isValid && (isOwn || (isAdmin && coversToken(ownNow(own), token)));
  });
}

/** An operator may have named a token like a user. */
function hasSameHolder(own: TokenRecord | undefined, token: TokenRecord): boolean {
  return (
    own?.userId === token.userId &&
    own?.serviceAccountId === token.serviceAccountId &&
    own?.policyId === token.policyId
  );
}

function scopesFor(
  own: readonly Scope[],
  permission: AccountPermission | undefined,
): readonly Scope[] {
  const has = (scope: Scope) => own.includes(scope) || own.includes("admin");
  switch (permission) {
    case undefined:
      return EVERYDAY.filter(has);
    case "read":
      return ["read"];
    case "stage":
      return [...READ.filter(has), "stage"];
    case "write":
      return [...READ.filter(has), "write", ...DELETE.filter(has)];
  }
}

const READ: readonly Scope[] = ["read"];
const DELETE: readonly Scope[] = ["delete"];
/** npm has no permission for administration. */
const EVERYDAY: readonly Scope[] = ["read", "stage", "write", "delete"];

function tokenOf(record: TokenRecord): AccountToken {
  const { id, prefix, name, createdAt, expiresAt, lastUsedAt, patterns, networks } = record;
  return {
    id: keyOf(id),
    prefix,
    name,
    createdAt,
    ...(expiresAt && { expiresAt }),
    ...(lastUsedAt && { lastUsedAt }),
    permission: permissionOf(record.scopes),
    names: patterns,
    networks,
  };
}

function permissionOf(scopes: readonly Scope[]): AccountPermission {
  if (scopes.every((scope) => scope === "read")) return "read";
  return scopes.every((scope) => scope === "read" || scope === "stage") ? "stage" : "write";
}
