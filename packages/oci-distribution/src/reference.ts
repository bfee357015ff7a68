import type { Digest } from "./digest.ts";
import { parseDigest } from "./digest.ts";

export type Reference =
  | { readonly type: "tag"; readonly tag: string }
  | { readonly type: "digest"; readonly digest: Digest };

const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

export function isTag(text: string): boolean {
  return TAG.test(text);
}

/**
 * What stands behind `/manifests/`: with a colon it is a digest, and a malformed one throws
 * `DIGEST_INVALID`. Undefined for a malformed tag, which no repository can hold.
 */
export function parseReference(text: string): Reference | undefined {
  if (text.includes(":")) return { type: "digest", digest: parseDigest(text) };
  return isTag(text) ? { type: "tag", tag: text } : undefined;
}
