import type { Digest } from "./digest.ts";
import { isDigest } from "./digest.ts";

// Where clients keep what belongs to a digest, in registries that know nothing of it: nobody gave
// such a tag, clients move it with every new signature, and it goes with what it belongs to.

/** What cosign attaches. */
const SUFFIXES = ["sig", "att", "sbom"] as const;
const ATTACHED = new RegExp(
  String.raw`^(sha256|sha512)-([0-9a-f]{64})(?:\.(?:${SUFFIXES.join("|")}))?$`,
);
const ALGORITHM_MAX = 32;
const ENCODED_MAX = 64;

/** The index of its referrers: the "referrers tag schema", `sha256-<hex>`. */
export function fallbackTagOf(digest: Digest): string {
  const [algorithm = "", encoded = ""] = digest.split(":");
  const legal = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  return `${legal(algorithm).slice(0, ALGORITHM_MAX)}-${legal(encoded).slice(0, ENCODED_MAX)}`;
}

/** Cosign's signatures, attestations and SBOMs: `sha256-<hex>.sig`, `.att`, `.sbom`. */
export function attachedTagsOf(digest: Digest): readonly string[] {
  return SUFFIXES.map((suffix) => attachedTagOf(digest, suffix));
}

export function attachedTagOf(digest: Digest, suffix: (typeof SUFFIXES)[number]): string {
  return `${digest.replace(":", "-")}.${suffix}`;
}

/** Whether a tag is of either kind. No rule is about it, and nothing is sealed because of it. */
export function isAttachedTag(tag: string): boolean {
  return ATTACHED.test(tag);
}

/**
 * The digest that an attached tag is about; such a tag is no root for the collector (rule R3).
 * Undefined for a tag that people gave; also for the fall-back tag of a SHA-512 digest, which is
 * cut short and so does not tell whose it is: it stays a root.
 */
export function subjectOfTag(tag: string): Digest | undefined {
  const [, algorithm, hex] = ATTACHED.exec(tag) ?? [];
  const digest = `${algorithm}:${hex}`;
  return isDigest(digest) ? digest : undefined;
}
