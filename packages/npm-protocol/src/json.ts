export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
  return list.filter((one) => typeof one === "string");
}

export function dictionary<T>(
  entries: Iterable<readonly [string, T]>,
): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries));
}
