const LENGTH_MAX = 512;

/** Clients ask the same over and over: what was found for the keys that came last, `max` of them,
 * is kept. What was not found is looked for again. */
export function boundedCache<T>(
  max: number,
): (key: string, find: () => T | undefined) => T | undefined {
  const found = new Map<string, T>();
  return (key, find) => {
    const known = found.get(key);
    if (known !== undefined || key.length > LENGTH_MAX) return known ?? find();
    const fresh = find();
    if (fresh === undefined) return undefined;
    if (found.size >= max) found.clear();
    found.set(key, fresh);
    return fresh;
  };
}
