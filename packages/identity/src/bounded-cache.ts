const LENGTH_MAX = 4_096;

/**
 * Caches up to `max` results of `look` by text, except undefined; a full cache forgets the oldest.
 * Only for results that never change; check everything else on each call.
 */
export function createBoundedCache<Found>(
  look: (text: string) => Found | undefined,
  max: number,
): (text: string) => Found | undefined {
  const cache = new Map<string, Found>();
  return (text) => {
    const before = cache.get(text);
    if (before !== undefined) return before;
    const result = look(text);
    if (result === undefined || text.length > LENGTH_MAX) return result;
    const [oldest] = cache.keys();
    if (cache.size >= max && oldest !== undefined) cache.delete(oldest);
    cache.set(text, result);
    return result;
  };
}
