import type { Digest } from "./digest.ts";
import { parseDigest } from "./digest.ts";

/** Tag or digest that identifies a manifest in a request path. */
export type Reference =
  | { readonly type: "tag"; readonly tag: string }
  | { readonly type: "digest"; readonly digest: Digest };

const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/** Returns true for a valid tag: up to 128 letters, digits, `.`, `_` or `-`, not starting with `.`
 * or `-`. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/**
 * Parses the last part of a `/manifests/` path. Text with a colon is a digest; throws
 * `DIGEST_INVALID` if it is malformed. Undefined for a malformed tag, which cannot exist.
 */
export function parseReference(text: string): Reference | undefined {
  if (text.includes(":")) return { type: "digest", digest: parseDigest(text) };
  return isTag(text) ? { type: "tag", tag: text } : undefined;
}
