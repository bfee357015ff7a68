import { randomBytes } from "node:crypto";
import {
  TOO_MANY_CHILDREN,
  coversToken,
  deriveToken,
  findToken,
  ownerOf,
  principalOf,
  TokenSettingError,
} from "@sealhouse/identity";
import type { Scope, TokenRecord } from "@sealhouse/identity";
import type {
  Holder,
  NpmPermission,
  NpmToken,
  NpmTokens,
  TokenWish,
} from "@sealhouse/npm-protocol";
import type { AccountParts } from "./npm-accounts.ts";

/** Shorter beginnings of an id are no answer to which token is meant. */
const ID_PART_MIN = 6;

const REVOKED = "The token in use has been revoked.";

/** `npm token list|create|revoke`. */
export function npmTokens(parts: AccountParts): NpmTokens {
  return {
    list: async (holder) => (await visibleTo(parts, holder)).map(tokenOf),
    create: (holder, wish) => create(parts, holder, wish),
    revoke: (holder, idOrValue) => revoke(parts, holder, idOrValue),
  };
}

async function create(
  { database, rules, pepper }: AccountParts,
  holder: Holder,
  wish: TokenWish,
): ReturnType<NpmTokens["create"]> {
  const own = await database.tokens.findById(holder.tokenId);
  if (!own) return { status: "refused", reason: REVOKED };
  const { name, permission, names, networks, expiresAt } = wish;
  const wanted = {
    name,
    scopes: scopesFor(own.scopes, permission),
    protocols: ["npm"],
    patterns: names ?? [],
    networks: networks ?? [],
    expiresAt,
  } as const;
  try {
    const making = { pepper, now: rules.now(), random: randomBytes };
    const { token: value, record } = deriveToken(principalOf(own), wanted, making);
    const outcome = await database.tokens.insert(record, holder);
    if (outcome === "orphan") return { status: "refused", reason: REVOKED };
    if (outcome === "crowded") return { status: "refused", reason: TOO_MANY_CHILDREN };
    return { status: "created", value, token: tokenOf(record) };
  } catch (error) {
    if (!(error instanceof TokenSettingError)) throw error;
    return { status: "refused", reason: error.message };
  }
}

async function revoke(
  parts: AccountParts,
  holder: Holder,
  idOrValue: string,
): ReturnType<NpmTokens["revoke"]> {
  const { database, rules, pepper } = parts;
  const given = await findToken(database.tokens, idOrValue, pepper);
  const visible = await visibleTo(parts, holder);
  const meant = given ? [given] : visible.filter(({ id }) => isMeant(id, idOrValue));
  const [token, other] = meant;
  if (!token) return "absent";
  if (other) return "several";
  const own = await database.tokens.findById(holder.tokenId);
  // Whoever has a token's value may end it, as logging out does.
  const mayEnd = given ?? (own && (own.id === token.id || coversToken(own, token)));
  if (!mayEnd) return "refused";
  const outcome = await database.tokens.revoke(token.id, rules.now(), holder);
  return outcome === "absent" ? "absent" : "revoked";
}

function isMeant(id: string, part: string): boolean {
  const plain = keyOf(part);
  return plain.length >= ID_PART_MIN && keyOf(id).startsWith(plain);
}

/** Without dashes: npm takes what looks like a UUID for a secret, and shows stars instead. */
function keyOf(id: string): string {
  return id.replaceAll("-", "");
}

/** Valid ones only: of the same owner, or all for an administrator. */
async function visibleTo(
  { database, rules }: AccountParts,
  { actor, tokenId }: Holder,
): Promise<readonly TokenRecord[]> {
  const { tokens } = database;
  const own = await tokens.findById(tokenId);
  const isAdmin = own?.scopes.includes("admin") === true;
  const found = isAdmin ? await tokens.list() : await tokens.listNamed(actor);
  const now = rules.now();
  return found.filter((token) => {
    // Two that stand for themselves may have one name, and are two holders then.
    const isOwn = token.id === tokenId || (token.owner !== undefined && ownerOf(token) === actor);
    const isValid = !token.revokedAt && (!token.expiresAt || token.expiresAt > now);
    return isValid && (isAdmin || isOwn);
  });
}

function scopesFor(own: readonly Scope[], permission: NpmPermission | undefined): readonly Scope[] {
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
/** npm has no word for administering. */
const EVERYDAY: readonly Scope[] = ["read", "stage", "write", "delete"];

function tokenOf(record: TokenRecord): NpmToken {
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

function permissionOf(scopes: readonly Scope[]): NpmPermission {
  if (scopes.every((scope) => scope === "read")) return "read";
  return scopes.every((scope) => scope === "read" || scope === "stage") ? "stage" : "write";
}
