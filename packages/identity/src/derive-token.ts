import type { NewToken, TokenMaking } from "./create-token.ts";
import { createToken } from "./create-token.ts";
import { TokenSettingError } from "./errors.ts";
import { coversPattern } from "./name-pattern.ts";
import { containsNetwork } from "./network.ts";
import { CHILDREN_MAX } from "./ports.ts";
import type { Scope, TokenRecord } from "./ports.ts";
import { isNarrow } from "./principal.ts";
import { isAdministrative } from "./scope.ts";

/** The limits of a token. An empty list limits nothing. */
export type TokenLimits = Pick<TokenRecord, "scopes" | "protocols" | "patterns" | "networks"> & {
  readonly expiresAt?: Date | undefined;
};

/** The token that creates another token. */
export type ParentToken = TokenLimits & {
  readonly tokenId: string;
  /** Name of the owner. */
  readonly name: string;
} & Pick<TokenRecord, "user" | "serviceAccountId" | "policyId">;

/** Settings of a child token. An absent or empty list takes the value of the parent. */
export type DerivedToken = Pick<NewToken, "name"> & Partial<Omit<NewToken, "name">>;

/**
 * Creates a child token. It has the same owner and never allows more than its parent. It expires no
 * later than its parent.
 *
 * @throws TokenSettingError when it would allow more than its parent, when its parent only reads,
 * stages or publishes, or when it would have the scope `admin` and its parent is narrow
 */
export function deriveToken(
  parent: ParentToken,
  child: DerivedToken,
  making: TokenMaking,
): { readonly token: string; readonly record: TokenRecord } {
  const barren = reasonAgainstChildren(parent);
  if (barren !== undefined) throw new TokenSettingError("parent", barren);
  const limits = {
    scopes: dropEmpty(child.scopes) ?? parent.scopes,
    protocols: dropEmpty(child.protocols) ?? parent.protocols,
    patterns: dropEmpty(child.patterns) ?? parent.patterns,
    networks: dropEmpty(child.networks) ?? parent.networks,
    expiresAt: earlier(child.expiresAt, parent.expiresAt),
  };
  const surplus = surplusOf(parent, limits);
  if (surplus) throw surplus;
  if (isNarrow(parent) && limits.scopes.some((one) => one === "admin" || isAdministrative(one))) {
    throw new TokenSettingError("scopes", NARROW_ADMIN);
  }
  const made = createToken({ name: child.name, ...limits }, making);
  const { name: owner, tokenId: parentId } = parent;
  return { token: made.token, record: { ...made.record, owner, parentId, ...holderOf(parent) } };
}

/** A child belongs to the holder of its parent. */
function holderOf({
  user,
  serviceAccountId,
  policyId,
}: ParentToken): Pick<TokenRecord, "userId" | "serviceAccountId" | "policyId"> {
  return {
    ...(user && { userId: user.id }),
    ...(serviceAccountId !== undefined && { serviceAccountId }),
    ...(policyId !== undefined && { policyId }),
  };
}

const NARROW_ADMIN =
  "The token in use is limited to names or networks, so it cannot create tokens with " +
  "the scope admin. Use a token without limits.";

/** Refusal for a token that has the maximum number of children. */
export const TOO_MANY_CHILDREN =
  `The token in use has created ${CHILDREN_MAX} tokens that are still valid, which is the limit. ` +
  "Revoke one of them first.";

function reasonAgainstChildren({ scopes }: TokenLimits): string | undefined {
  // Otherwise the access of a build job to one package would outlive the job.
  if (scopes.includes("publish")) {
    return "The token in use can only publish, so it cannot create tokens.";
  }
  if (scopes.every((scope) => scope === "stage")) {
    return "The token in use can only stage, so it cannot create tokens.";
  }
  // A token that administers makes others with that administration, which checks their scopes.
  const isReadOnly = scopes.every((scope) => scope === "read" || isAdministrative(scope));
  return isReadOnly ? "The token in use can only read, so it cannot create tokens." : undefined;
}

/** Whether `holder` allows everything that `other` allows, regardless of expiry. */
export function coversToken(holder: TokenLimits, other: TokenLimits): boolean {
  return surplusOf(holder, other) === undefined;
}

function surplusOf(parent: TokenLimits, child: TokenLimits): TokenSettingError | undefined {
  const scope = child.scopes.find((childScope) => !hasScope(parent.scopes, childScope));
  if (scope !== undefined) {
    const text = `The token in use lacks the scope ${scope}, so it cannot grant it.`;
    return new TokenSettingError("scopes", text);
  }
  if (!isInside(parent.protocols, child.protocols, (bound, protocol) => bound === protocol)) {
    return exceeding("protocols", "protocols", parent.protocols);
  }
  if (!isInside(parent.patterns, child.patterns, coversPattern)) {
    return exceeding("patterns", "names", parent.patterns);
  }
  if (!isInside(parent.networks, child.networks, containsNetwork)) {
    return exceeding("networks", "networks", parent.networks);
  }
  return undefined;
}

function exceeding(
  setting: "protocols" | "patterns" | "networks",
  what: string,
  bounds: readonly string[],
): TokenSettingError {
  const text = `The token in use only covers the ${what} ${bounds.join(", ")}: request no others.`;
  return new TokenSettingError(setting, text);
}

/** An empty list means all, so only an empty list contains it. */
function isInside<T extends string>(
  bounds: readonly T[],
  members: readonly T[],
  contains: (bound: T, inner: T) => boolean,
): boolean {
  if (bounds.length === 0) return true;
  if (members.length === 0) return false;
  return members.every((member) => bounds.some((bound) => contains(bound, member)));
}

function hasScope(scopes: readonly Scope[], scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes("admin") || isPartOfWrite(scopes, scope);
}

function isPartOfWrite(scopes: readonly Scope[], scope: Scope): boolean {
  return (scope === "stage" || scope === "publish") && scopes.includes("write");
}

function dropEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

function earlier(time: Date | undefined, other: Date | undefined): Date | undefined {
  if (!time || !other) return time ?? other;
  return time < other ? time : other;
}
