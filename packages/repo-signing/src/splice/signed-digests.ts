import { createHash } from "node:crypto";
import type { PackageBytes } from "../ports.ts";
import type { SplicePlan } from "./splice-plan.ts";
import { spliced } from "./splice-plan.ts";

/** Digests of a signed file, as clients download it. */
export type SignedDigests = {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64. */
  readonly sha512: string;
};

/** A received file that may know the hashes of its beginning. */
export type HashedBytes = PackageBytes & {
  /** Returns the hashes of a beginning of at most `end` bytes, for the caller to continue. */
  readonly hashedUntil?: (end: number) => HashedBeginning | undefined;
};

/** The hashes of the first `at` bytes, to continue with other bytes. */
type HashedBeginning = {
  readonly at: number;
  readonly hashing: {
    update(chunk: Uint8Array): void;
    digests(): Readonly<{ sha256: string; sha512?: string }>;
  };
};

/**
 * Reads the signed file from the place on up to which the hashes of the received file are known,
 * else all of it. Throws only when `file` cannot be read.
 */
export async function signedDigests(file: HashedBytes, plan: SplicePlan): Promise<SignedDigests> {
  const signed = spliced(file, plan);
  const { at, hashing } = file.hashedUntil?.(unchangedBytes(plan)) ?? { at: 0, hashing: start() };
  const rest = { start: at, end: signed.size - 1 };
  for await (const chunk of signed.read(rest, { reuse: true })) hashing.update(chunk);
  const { sha256, sha512 } = hashing.digests();
  // The received file was hashed without SHA-512.
  if (sha512 === undefined) return signedDigests({ ...file, hashedUntil: () => undefined }, plan);
  return { sha256, sha512: Buffer.from(sha512, "hex").toString("base64") };
}

/** Bytes at the beginning that the signed file has in common with the received one. */
function unchangedBytes({ pieces: [first] }: SplicePlan): number {
  return first?.kind === "range" && first.start === 0 ? first.end : 0;
}

function start(): HashedBeginning["hashing"] {
  const [sha256, sha512] = [createHash("sha256"), createHash("sha512")];
  return {
    update(chunk) {
      sha256.update(chunk);
      sha512.update(chunk);
    },
    digests: () => ({ sha256: sha256.digest("hex"), sha512: sha512.digest("hex") }),
  };
}
