const CURRENT_FOR_MS = 2_000;

/** A value of the database that is read every two seconds at most. */
export type Refreshed<T> = {
  /** At most two seconds old; undefined when it must be read first. */
  known(): T | undefined;
  /** Reads it when it is older than two seconds. While that fails, the last value stays. */
  current(): Promise<T>;
  /** Makes the next call of `current` read the database. */
  refresh(): void;
};

/** Creates a value that `read` reads, from the last one if there is one. */
export function createRefreshed<T>(
  read: (last: T | undefined) => Promise<T>,
  now: () => Date,
): Refreshed<T> {
  let last: { readonly value: T; readonly at: number } | undefined;
  let reading: Promise<T> | undefined;
  let changes = 0;
  const readNow = async (): Promise<T> => {
    const before = changes;
    try {
      const value = await read(last?.value);
      const at = changes === before ? now().getTime() : -Infinity;
      if (changes === before || !last) last = { value, at };
      return value;
    } catch (error) {
      if (last) return last.value;
      throw error;
    } finally {
      if (changes === before) reading = undefined;
    }
  };
  const known = () => (last && now().getTime() - last.at < CURRENT_FOR_MS ? last.value : undefined);
  return {
    known,
    current() {
      const value = known();
      if (value !== undefined) return Promise.resolve(value);
      reading ??= readNow();
      return reading;
    },
    refresh() {
      changes += 1;
      reading = undefined;
      if (last) last = { ...last, at: -Infinity };
    },
  };
}
