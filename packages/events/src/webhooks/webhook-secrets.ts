import type { WebhookRow } from "./webhook.ts";

/** The part of the key ring that encrypts secrets of subscriptions. */
export type SecretKeeper = {
  protect(purpose: string, bytes: Uint8Array): Uint8Array;
  unprotect(purpose: string, bytes: Uint8Array): Promise<Uint8Array>;
};

const PURPOSE = "webhook-secret";

export function protectSecret(keeper: Pick<SecretKeeper, "protect">, secret: string): Uint8Array {
  return keeper.protect(PURPOSE, Buffer.from(secret, "utf8"));
}

/**
 * Returns the secrets that sign now, newest first; empty for a subscription without a secret. A
 * former one that the key ring cannot decrypt is left out: a rotation replaces lost secrets.
 * Rejects when the key ring cannot decrypt the newest.
 */
export async function secretsOf(
  row: Pick<WebhookRow, "secret" | "formerSecret" | "formerEndsAt">,
  keeper: Pick<SecretKeeper, "unprotect">,
  now: Date,
): Promise<readonly string[]> {
  const { secret, formerSecret, formerEndsAt } = row;
  const open = async (bytes: Uint8Array) =>
    Buffer.from(await keeper.unprotect(PURPOSE, bytes)).toString();
  const isFormerValid = formerEndsAt !== undefined && formerEndsAt > now;
  const former =
    isFormerValid && formerSecret ? await open(formerSecret).catch(() => undefined) : undefined;
  const all = [secret && (await open(secret)), former];
  return all.filter((text) => text !== undefined);
}
