import type { NewToken, TokenHolder, TokenRecord, WantedHolder } from "@sealhouse/identity";
import {
  findTokenHolder,
  isAdministrative,
  isTokenSettingError,
  parseExpiry,
  parseNetworks,
  parsePatterns,
  parseProtocols,
  parseScopes,
  tokenSettingWords,
} from "@sealhouse/identity";
import { absent, conflict, invalidField } from "../refusal.ts";
import type { TokenRows } from "./parts.ts";

/** The texts of a new token. */
export type TokenTexts = WantedHolder & {
  readonly name: string;
  readonly scopes: string;
  readonly expires: string;
  readonly protocols: string;
  readonly patterns: string;
  readonly networks: string;
};

/** @throws RefusedActionError */
export function newTokenOf(texts: TokenTexts, now: Date): NewToken {
  return checked(() => ({
    name: texts.name,
    scopes: parseScopes(texts.scopes),
    expiresAt: parseExpiry(texts.expires, now),
    protocols: parseProtocols(texts.protocols),
    patterns: parsePatterns(texts.patterns),
    networks: parseNetworks(texts.networks),
  }));
}

/**
 * Returns what a function of the library makes of the settings of a token. `field`: the field that
 * it is about, when it has another name than the setting.
 *
 * @throws RefusedActionError
 */
export function checked<T>(make: () => T, field?: string): T {
  try {
    return make();
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    throw invalidField(field ?? error.setting, tokenSettingWords(error));
  }
}

/**
 * Finds the holder of a new token. None: the operators.
 *
 * @throws RefusedActionError
 */
export async function holderOf(
  rows: TokenRows,
  { user, account }: WantedHolder,
  scopes: NewToken["scopes"],
): Promise<TokenHolder> {
  if (user !== undefined && account !== undefined) {
    throw invalidField("account", "cannot follow a user: a token belongs to one of them.");
  }
  const found = await findTokenHolder(rows, { user, account }, scopes);
  switch (found.status) {
    case "found":
      return found.holder;
    case "absent":
      throw absent(found.text);
    case "inactive":
      throw conflict(found.text);
    case "beyond-role":
      throw invalidField("scopes", `cannot be given: ${found.text}`);
  }
}

/**
 * Whether a token allows more than the scope `tokens:write` may give: administration, or the names
 * of all owners, as operators and administrators have them.
 */
export async function isPowerful({ people }: TokenRows, token: Powers): Promise<boolean> {
  const { scopes, userId, serviceAccountId, policyId } = token;
  if (scopes.some((scope) => scope === "admin" || isAdministrative(scope))) return true;
  if (userId !== undefined) return (await people.find(userId))?.role === "administrator";
  return serviceAccountId === undefined && policyId === undefined;
}

type Powers = Pick<TokenRecord, "scopes" | "userId" | "serviceAccountId" | "policyId">;
