import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";

/** A hash algorithm. */
export type HashName = "sha1" | "sha256" | "sha512";

/** Digests in lower-case hex. */
export type Digests = Readonly<{ sha256: string } & Partial<Record<HashName, string>>>;

/** Computes several digests over the same bytes, always including SHA-256. */
export type Hashing = {
  readonly names: ReadonlySet<HashName>;
  update(chunk: Uint8Array): void;
  /** Returns an independent copy of the current state. */
  copy(): Hashing;
  digests(): Digests;
};

export function startHashing(names: readonly HashName[] = []): Hashing {
  const others = new Set(names.filter((name) => name !== "sha256"));
  return hashingOf(
    createHash("sha256"),
    [...others].map((name) => [name, createHash(name)]),
  );
}

/** Passes chunks through while hashing them. */
export async function* hashed(
  body: AsyncIterable<Uint8Array>,
  hashing: Hashing,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    hashing.update(chunk);
    yield chunk;
  }
}

function hashingOf(sha256: Hash, others: readonly (readonly [HashName, Hash])[]): Hashing {
  return {
    names: new Set(["sha256", ...others.map(([name]) => name)]),
    update(chunk) {
      sha256.update(chunk);
      for (const [, hash] of others) hash.update(chunk);
    },
    copy: () =>
      hashingOf(
        sha256.copy(),
        others.map(([name, hash]) => [name, hash.copy()]),
      ),
    digests: () => ({
      ...Object.fromEntries(others.map(([name, hash]) => [name, hash.digest("hex")])),
      sha256: sha256.digest("hex"),
    }),
  };
}
