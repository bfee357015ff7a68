import type { TokenLookup, TokenRecord } from "./ports.ts";
import { isTokenOf } from "./token-hash.ts";
import type { TokenText } from "./token-text.ts";
import { parseTokenText } from "./token-text.ts";

/** The stored token with this value; revoked and expired ones too. */
export async function findToken(
  tokens: Pick<TokenLookup, "findByPrefix">,
  value: string,
  pepper: string,
): Promise<TokenRecord | undefined> {
  const text = parseTokenText(value);
  return text && findRecord(tokens, text, pepper);
}

export async function findRecord(
  tokens: Pick<TokenLookup, "findByPrefix">,
  { text, prefix }: Pick<TokenText, "text" | "prefix">,
  pepper: string,
): Promise<TokenRecord | undefined> {
  const candidates = await tokens.findByPrefix(prefix);
  return candidates.find((candidate) => isTokenOf(text, candidate, pepper));
}
