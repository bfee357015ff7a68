/** A set of 64-bit numbers. */
export type Fingerprints = {
  has(value: bigint): boolean;
  add(value: bigint): void;
};

const FIRST_SLOTS = 1024;
const EMPTY = 0n;

/** Creates an empty set. It takes 16 to 32 bytes for each number, less than a third of a `Set`. */
export function createFingerprints(): Fingerprints {
  let slots = new BigUint64Array(FIRST_SLOTS);
  let count = 0;
  return {
    has: (value) => slots[slotOf(slots, stored(value))] !== EMPTY,
    add(value) {
      if (put(slots, stored(value))) count += 1;
      if (count * 2 > slots.length) slots = doubled(slots);
    },
  };
}

/** Zero marks an empty slot. */
function stored(value: bigint): bigint {
  return value === EMPTY ? 1n : value;
}

/** Returns the slot with the value, or the empty one for it. */
function slotOf(slots: BigUint64Array, value: bigint): number {
  let slot = Number(value % BigInt(slots.length));
  while (slots[slot] !== EMPTY && slots[slot] !== value) slot = (slot + 1) % slots.length;
  return slot;
}

function put(slots: BigUint64Array, value: bigint): boolean {
  const slot = slotOf(slots, value);
  const isNew = slots[slot] === EMPTY;
  slots[slot] = value;
  return isNew;
}

function doubled(slots: BigUint64Array): BigUint64Array<ArrayBuffer> {
  const larger = new BigUint64Array(slots.length * 2);
  for (const value of slots) if (value !== EMPTY) put(larger, value);
  return larger;
}
