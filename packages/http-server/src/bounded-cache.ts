const LENGTH_MAX = 512;

/** Clients ask the same over and over: what was found for the keys that came last, `max` of them,
 * is kept. What was not found is looked for again. */
export function boundedCache<T>(
  max: number,
): (key: string, find: () => T | undefined) => T | undefined {
  const cache = new Map<string, T>();
  return (key, find) => {
    const hit = cache.get(key);
    if (hit !== undefined || key.length > LENGTH_MAX) return hit ?? find();
    const fresh = find();
    if (fresh === undefined) return undefined;
    if (cache.size >= max) cache.clear();
    cache.set(key, fresh);
    return fresh;
  };
}
