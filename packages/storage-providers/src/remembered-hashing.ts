import type { Hashing } from "./digests.ts";

/** The hashes of the first `at` bytes of a body. */
export type HashedPrefix = { readonly at: number; readonly hashing: Hashing };

/** Bytes between two remembered states. A copy of a state takes a microsecond. */
export const REMEMBERED_EVERY_BYTES = 256 * 1024;
/** The directory of an archive with 40,000 files is within the last four MiB. */
const STATES_MAX = 16;

/** A hashing that remembers its states near the end of the body. */
export type RememberedHashing = Hashing & {
  /** Returns a copy of the last state of at most `end` bytes; undefined when none is left. */
  readonly hashedUntil: (end: number) => HashedPrefix | undefined;
};

/** Lets a body that differs from the hashed one near its end be hashed without a second read. */
export function rememberStates(hashing: Hashing): RememberedHashing {
  const states: HashedPrefix[] = [];
  let size = 0;
  return {
    ...hashing,
    update(chunk) {
      if (size - (states.at(-1)?.at ?? 0) >= REMEMBERED_EVERY_BYTES) {
        states.push({ at: size, hashing: hashing.copy() });
        if (states.length > STATES_MAX) states.shift();
      }
      hashing.update(chunk);
      size += chunk.length;
    },
    hashedUntil(end) {
      const state = states.findLast(({ at }) => at <= end);
      return state && { at: state.at, hashing: state.hashing.copy() };
    },
  };
}
