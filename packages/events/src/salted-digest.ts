import { createHash, randomBytes } from "node:crypto";

/** A digest that proves nothing to those who lack its salt. Both are lower-case hex. */
export type SaltedDigest = {
  /** 32 random bytes. */
  readonly salt: string;
  /** SHA-256 of the salt's bytes, followed by the set as JSON. */
  readonly sha256: string;
};

/**
 * The digest of a set of texts, such as owners: sorted by code units, each once, as a JSON array in
 * UTF-8. A public record of the digest names no people. Salt and set together prove it.
 */
export function saltedDigest(members: readonly string[], salt = randomBytes(32)): SaltedDigest {
  // oxlint-disable-next-line unicorn/require-array-sort-compare -- Code units are meant.
  const set = JSON.stringify([...new Set(members)].toSorted());
  const sha256 = createHash("sha256").update(salt).update(set, "utf8").digest("hex");
  return { salt: salt.toString("hex"), sha256 };
}
