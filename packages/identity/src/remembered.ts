const LENGTH_MAX = 4_096;

/** What `look` found for the texts that came last, `max` of them; nothing found is not kept. For
 * answers that never change, in front of which everything that does change is looked at again. */
export function createRemembered<Found>(
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
