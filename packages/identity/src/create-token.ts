import type { Protocol } from "@sealhouse/request-types";
import { TokenSettingError } from "./errors.ts";
import { checkExpiry } from "./expiry.ts";
import { checkPatterns } from "./name-pattern.ts";
import { checkNetworks } from "./network.ts";
import type { Scope, TokenRecord } from "./ports.ts";
import { NEWEST_SCHEME, hashToken } from "./token-hash.ts";
import { formatToken } from "./token-text.ts";

/** Settings of a new token. */
export type NewToken = {
  /** 1 to 100 printable characters; a label for users. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Empty or undefined allows all; also for the next two. */
  readonly protocols?: readonly Protocol[];
  readonly patterns?: readonly string[];
  readonly networks?: readonly string[];
  /** Undefined means that the token does not expire. */
  readonly expiresAt?: Date | undefined;
};

/** The pepper, the time and the random source for creating tokens. */
export type TokenMaking = {
  readonly pepper: string;
  readonly now: Date;
  /** Returns cryptographically random bytes. */
  readonly random: (size: number) => Uint8Array;
};

const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;

/**
 * Creates a token. Show `token` to its owner once and never store it; store `record`.
 *
 * @throws TokenSettingError
 */
export function createToken(
  newToken: NewToken,
  { pepper, now, random }: TokenMaking,
): { readonly token: string; readonly record: TokenRecord } {
  const { name, scopes, protocols = [], patterns = [], networks = [], expiresAt } = newToken;
  if (name.trim() === "" || !NAME.test(name)) {
    throw new TokenSettingError(
      "name",
      "A token requires a name of 1 to 100 printable characters.",
    );
  }
  if (scopes.length === 0) {
    throw new TokenSettingError("scopes", "A token requires at least one scope.");
  }
  checkPatterns(patterns);
  checkNetworks(networks);
  if (expiresAt) checkExpiry(expiresAt, now);

  const { text, prefix } = formatToken(random(32));
  const record: TokenRecord = {
    id: uuidOf(random(16)),
    name: name.trim(),
    prefix,
    hash: hashToken(text, pepper),
    scheme: NEWEST_SCHEME,
    scopes: [...new Set(scopes)],
    protocols: [...new Set(protocols)],
    patterns: [...new Set(patterns)],
    networks: [...new Set(networks)],
    createdAt: now,
    ...(expiresAt && { expiresAt }),
  };
  return { token: text, record };
}

/**
 * Creates a replacement for a token, with the same owner, name, scopes, limits and parent. The
 * replaced token stays valid until it is revoked.
 *
 * @throws TokenSettingError
 */
export function replacementOf(
  replaced: TokenRecord,
  expiresAt: Date | undefined,
  making: TokenMaking,
): { readonly token: string; readonly record: TokenRecord } {
  const { name, scopes, protocols, patterns, networks, owner, parentId } = replaced;
  const { userId, serviceAccountId, policyId } = replaced;
  const newToken = { name, scopes, protocols, patterns, networks, expiresAt };
  const { token, record } = createToken(newToken, making);
  const origin = {
    ...(owner !== undefined && { owner }),
    ...(parentId !== undefined && { parentId }),
    ...(userId !== undefined && { userId }),
    ...(serviceAccountId !== undefined && { serviceAccountId }),
    ...(policyId !== undefined && { policyId }),
    replaces: replaced.id,
  };
  return { token, record: { ...record, ...origin } };
}

/** RFC 9562 version 4. */
function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
