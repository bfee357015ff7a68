/** JSON with sorted keys and without white space: equal values have equal bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without a prototype, so that `__proto__` is a key like others. */
function sorted(record: Readonly<Record<string, unknown>>): object {
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(record).toSorted(byCodeUnit)) copy[key] = record[key];
  return copy;
}

/** Not by the language of the machine. */
export function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
