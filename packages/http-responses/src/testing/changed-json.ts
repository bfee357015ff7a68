/** A change of a text: the inserted text, and the length that it replaces. */
export type TextChange = {
  /** Position: from 0 (start of the text) to 1 (end). */
  readonly at: number;
  readonly what: string;
  /** Replaced length in UTF-16 code units. */
  readonly take: number;
};

/** Applies one change to a text, for tests with invalid or changed JSON. */
export function changeText(text: string, { at, what, take }: TextChange): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + what + text.slice(start + take);
}

/** Sets one field of a document, at any depth, to a value. `at` is the index of the field, modulo
 * their number. With a key, adds a field of this name to the same object instead. */
export function changePlace(
  document: unknown,
  { at, key, value }: { readonly at: number; readonly key?: string | undefined; value: unknown },
): void {
  const places = placesOf(document);
  const place = places[at % places.length];
  if (place && key === undefined) place.holder[place.key] = value;
  else if (place && key !== undefined && !Array.isArray(place.holder)) {
    // An assignment would set the prototype where the key is `__proto__`.
    Object.defineProperty(place.holder, key, { value, enumerable: true });
  }
}

/** Returns `depth` nested lists. */
export function nestedLists(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

type JsonLocation = { readonly holder: Record<string, unknown>; readonly key: string };

function placesOf(value: unknown): readonly JsonLocation[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])]);
}
