import type { Caller } from "@sealhouse/request-types";
import { replacementOf } from "./create-token.ts";
import type { TokenMaking } from "./create-token.ts";
import type { TokenAdministration, TokenRecord } from "./ports.ts";

/** Outcome of a replacement. `token` is shown once; all others change nothing. */
export type TokenReplaced =
  | { readonly status: "replaced"; readonly token: string; readonly record: TokenRecord }
  /** A scanner reported the token. */
  | { readonly status: "leaked" }
  /** It is revoked. */
  | { readonly status: "absent" }
  /** The token that created it has the maximum number of valid tokens. */
  | { readonly status: "crowded" };

/** The token to replace, and the limits of its successor. */
export type Replacement = {
  readonly replaced: TokenRecord;
  /** Tokens among which the parent is found. */
  readonly all: readonly TokenRecord[];
  /** No later than the expiry of the parent; undefined: never. */
  readonly expiresAt: Date | undefined;
  readonly by: Caller;
};

/** Creates a token with the same scopes and limits. The old token stays valid until it is revoked.
 * @throws TokenSettingError */
export async function replaceToken(
  tokens: Pick<TokenAdministration, "replace">,
  { replaced, all, expiresAt, by }: Replacement,
  making: TokenMaking,
): Promise<TokenReplaced> {
  if (replaced.leakedAt) return { status: "leaked" };
  const parent = all.find(({ id }) => id === replaced.parentId);
  const end = earlier(expiresAt, parent?.expiresAt);
  const { token, record } = replacementOf(replaced, end, making);
  const status = await tokens.replace(replaced.id, record, by);
  return status === "replaced" ? { status, token, record } : { status };
}

function earlier(time: Date | undefined, other: Date | undefined): Date | undefined {
  if (!time || !other) return time ?? other;
  return time < other ? time : other;
}
