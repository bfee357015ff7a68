import { createToken } from "../create-token.ts";
import type { NewToken } from "../create-token.ts";

/** Long enough for a pepper, and good for nothing but tests. */
export const TEST_PEPPER = "pepper-for-tests-only-0123456789-abcdef";

/** Bytes that differ from call to call and not from run to run. */
export function createTestRandom(seed = 1): (size: number) => Uint8Array {
  let state = seed;
  return (size) =>
    Uint8Array.from({ length: size }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    });
}

const random = createTestRandom();

/** A token made the way the product makes them, with everything allowed unless said otherwise. */
export function createTestToken(
  fields: Partial<NewToken> = {},
  now: Date = new Date("2026-01-01T00:00:00Z"),
) {
  const all: NewToken = { name: "test", scopes: ["read", "write", "delete", "admin"] };
  return createToken({ ...all, ...fields }, { pepper: TEST_PEPPER, now, random });
}
