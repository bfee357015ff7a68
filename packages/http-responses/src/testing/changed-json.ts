/** What is put into a text, and how much of it goes. */
export type TextChange = {
  /** Where: from 0, its beginning, to 1, its end. */
  readonly at: number;
  readonly what: string;
  /** In UTF-16 code units. */
  readonly take: number;
};

/** The text with one change, for tests with JSON that is none, or another. */
export function changeText(text: string, { at, what, take }: TextChange): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + what + text.slice(start + take);
}

/** Sets one field of a document, however deep, to a value; `at` counts them over and over. With a
 * key, the object that has the field gets another field of this name instead. */
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

/** A list in a list, so many times. */
export function nestedLists(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

type Place = { readonly holder: Record<string, unknown>; readonly key: string };

function placesOf(value: unknown): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])]);
}
