import type { Digest } from "./digest.ts";
import { isDigest } from "./digest.ts";

// Attached tags: clients make them from a digest to store its signatures and referrers, in
// registries without the referrers API. Clients move such a tag with every new signature, and the
// collector removes it with its subject.

/** Suffixes of the tags that cosign makes. */
const SUFFIXES = ["sig", "att", "sbom"] as const;
const ATTACHED = new RegExp(
  String.raw`^(sha256|sha512)-([0-9a-f]{64})(?:\.(?:${SUFFIXES.join("|")}))?$`,
);
const ALGORITHM_MAX = 32;
const ENCODED_MAX = 64;

/** Returns the tag of the referrers index by the "referrers tag schema": `sha256-<hex>`. */
export function fallbackTagOf(digest: Digest): string {
  const [algorithm = "", encoded = ""] = digest.split(":");
  const legal = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  return `${legal(algorithm).slice(0, ALGORITHM_MAX)}-${legal(encoded).slice(0, ENCODED_MAX)}`;
}

/** Returns the tags of cosign's signatures, attestations and SBOMs: `sha256-<hex>.sig` and so
 * on. */
export function attachedTagsOf(digest: Digest): readonly string[] {
  return SUFFIXES.map((suffix) => attachedTagOf(digest, suffix));
}

export function attachedTagOf(digest: Digest, suffix: (typeof SUFFIXES)[number]): string {
  return `${digest.replace(":", "-")}.${suffix}`;
}

/** Returns true for an attached tag of either kind. Tag rules and signing ignore such tags. */
export function isAttachedTag(tag: string): boolean {
  return ATTACHED.test(tag);
}

/**
 * Returns the subject digest of an attached tag, which is not a root of the collector (rule R3).
 * Undefined for other tags. Also undefined for the fallback tag of a SHA-512 digest: it contains
 * only a part of the digest, so it stays a root.
 */
export function subjectOfTag(tag: string): Digest | undefined {
  const [, algorithm, hex] = ATTACHED.exec(tag) ?? [];
  const digest = `${algorithm}:${hex}`;
  return isDigest(digest) ? digest : undefined;
}
