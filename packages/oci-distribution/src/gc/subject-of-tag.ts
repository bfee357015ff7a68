import type { Digest } from "../digest.ts";
import { isDigest } from "../digest.ts";

const SYSTEM_TAG = /^sha256-([0-9a-f]{64})(?:\.(?:sig|att|sbom))?$/;

/**
 * The digest that a tag made by a client is about: the fall-back schema of referrers
 * (`sha256-<hex>`), and what cosign attaches (`.sig`, `.att`, `.sbom`). Such a tag is no root for
 * the collector (rule R3). Undefined for a tag that people gave; also for the fall-back tag of a
 * SHA-512 digest, which is cut short and so does not tell whose it is: it stays a root.
 */
export function subjectOfTag(tag: string): Digest | undefined {
  const hex = SYSTEM_TAG.exec(tag)?.[1];
  const digest = `sha256:${hex ?? ""}`;
  return isDigest(digest) ? digest : undefined;
}
