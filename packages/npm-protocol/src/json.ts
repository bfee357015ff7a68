/** An object of parsed JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object, and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether the key `__proto__` occurs anywhere in the document parsed from `text`. A copy of such a
 * document, key by key, has another prototype, so it is never passed on.
 */
export function namesPrototype(text: string, value: unknown): boolean {
  // Most texts do not hold the word, however it is written, and are not walked through.
  if (!text.includes("__proto__") && !/\\u00[567]/.test(text)) return false;
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (Object.hasOwn(next, "__proto__")) return true;
    for (const inner of Object.values(next)) if (inner !== undefined) waiting.push(inner);
  }
  return false;
}

/** A map without a prototype, so that no key can mean anything but itself. */
export function stringMapOf(value: unknown): Readonly<Record<string, string>> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return dictionary(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

export function stringListOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((entry) => typeof entry === "string");
}

export function dictionary<T>(
  entries: Iterable<readonly [string, T]>,
): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries));
}
