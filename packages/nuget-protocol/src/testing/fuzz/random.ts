/** Numbers that only look random: the same seed gives the same ones on every machine. */
export type Random = {
  /** From 0 up to, but not, `end`. */
  below(end: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
};

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (end: number) => (end <= 0 ? 0 : next() % end);
  return { below, pick: (from) => from[below(from.length)] ?? from[0] };
}
