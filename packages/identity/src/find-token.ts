import type { TokenLookup, TokenRecord } from "./ports.ts";
import type { HashedToken } from "./token-hash.ts";
import { hashToken, isTokenOf } from "./token-hash.ts";
import { parseTokenText } from "./token-text.ts";

/** Finds the stored token with this value, even when it is revoked or expired. */
export async function findToken(
  tokens: Pick<TokenLookup, "findByPrefix">,
  value: string,
  pepper: string,
): Promise<TokenRecord | undefined> {
  const text = parseTokenText(value);
  return text && findRecord(tokens, { ...text, hash: hashToken(text.text, pepper) }, pepper);
}

export async function findRecord(
  tokens: Pick<TokenLookup, "findByPrefix">,
  token: HashedToken & { readonly prefix: string },
  pepper: string,
): Promise<TokenRecord | undefined> {
  const candidates = await tokens.findByPrefix(token.prefix);
  return candidates.find((candidate) => isTokenOf(token, candidate, pepper));
}
