const LENGTH_MAX = 512;

/** Caches the results of the `max` keys that were found last. A key without a result is looked up
 * again. */
export function boundedCache<T>(
  max: number,
): (key: string, find: () => T | undefined) => T | undefined {
  const cache = new Map<string, T>();
  return (key, find) => {
    const hit = cache.get(key);
    if (hit !== undefined || key.length > LENGTH_MAX) return hit ?? find();
    const fresh = find();
    if (fresh === undefined) return undefined;
    const [oldest] = cache.keys();
    if (cache.size >= max && oldest !== undefined) cache.delete(oldest);
    cache.set(key, fresh);
    return fresh;
  };
}
