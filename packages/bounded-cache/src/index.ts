/** A limit on the sum of what entries cost, in a unit of the caller, such as bytes. */
export type WeightLimit<Key, Value> = {
  readonly max: number;
  /** Maximum of one entry; a heavier one is not kept. Default: `max`. */
  readonly entryMax?: number;
  readonly of: (value: Value, key: Key) => number;
};

/** Limits of a cache: a number of entries, a weight, or both. */
export type CacheLimits<Key, Value> = {
  /** Drops an entry `maxMs` after its `set`. `now` is a clock in milliseconds. */
  readonly age?: { readonly maxMs: number; readonly now: () => number };
  /** Maximum length of keys that are texts; an entry with a longer one is not kept. */
  readonly keyLengthMax?: number;
} & (
  | { readonly entries: number; readonly weight?: WeightLimit<Key, Value> }
  | { readonly entries?: undefined; readonly weight: WeightLimit<Key, Value> }
);

type Entry<Value> = { readonly value: Value; readonly weight: number; readonly endMs: number };

/**
 * A map that drops the least recently used entries when it exceeds a limit. Uses count while it is
 * more than half full. Only for what may be lost at any time.
 */
export class BoundedCache<Key, Value> {
  /** In order of use: a Map keeps its order of insertion. */
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #limits: CacheLimits<Key, Value>;
  #weight = 0;
  /** The key that was used last needs no other place. */
  #latest: Key | undefined;
  /** Half of the limits: below them nothing is dropped soon, so that uses need no order. */
  readonly #half: { readonly entries: number; readonly weight: number };

  constructor(limits: CacheLimits<Key, Value>) {
    this.#limits = limits;
    const { entries = Infinity, weight } = limits;
    this.#half = { entries: entries / 2, weight: (weight?.max ?? Infinity) / 2 };
  }

  /** Whether the key has an entry. This is not a use of the entry. */
  has(key: Key): boolean {
    return this.#find(key) !== undefined;
  }

  get(key: Key): Value | undefined {
    const entry = this.#find(key);
    if (entry && key !== this.#latest && this.#isFilling()) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#latest = key;
    }
    return entry?.value;
  }

  /** Replaces the entry of the key. Keeps none when one entry alone exceeds a limit. */
  set(key: Key, value: Value): void {
    const { age, entries = Infinity, keyLengthMax = Infinity, weight: limit } = this.#limits;
    const { max = Infinity, entryMax = max } = limit ?? {};
    this.delete(key);
    const weight = limit?.of(value, key) ?? 0;
    if (weight > entryMax || (typeof key === "string" && key.length > keyLengthMax)) return;
    this.#entries.set(key, { value, weight, endMs: age ? age.now() + age.maxMs : Infinity });
    this.#weight += weight;
    this.#latest = key;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries && this.#weight <= max) break;
      this.delete(oldest);
    }
  }

  /** Returns the value of the key, or else what `look` finds. Keeps that unless it is undefined. */
  remember<Found extends Value | undefined>(key: Key, look: () => Found): Value | Found {
    const known = this.get(key);
    if (known !== undefined) return known;
    const found = look();
    if (found !== undefined) this.set(key, found);
    return found;
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #isFilling(): boolean {
    const { entries, weight } = this.#half;
    return this.#entries.size > entries || this.#weight > weight;
  }

  #find(key: Key): Entry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (!entry || !this.#limits.age || this.#limits.age.now() < entry.endMs) return entry;
    this.delete(key);
    return undefined;
  }
}
