const LENGTH_MAX = 4_096;

/**
 * Caches up to `max` results of `look` by text, except undefined; a full cache is emptied. Only for
 * results that never change; check everything else on each call.
 */
export function createBoundedCache<Found>(
  look: (text: string) => Found | undefined,
  max: number,
): (text: string) => Found | undefined {
  const known = new Map<string, Found>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = look(text);
    if (found === undefined || text.length > LENGTH_MAX) return found;
    if (known.size >= max) known.clear();
    known.set(text, found);
    return found;
  };
}
