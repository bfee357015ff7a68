// What may be read out of JSON that somebody else wrote.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined for anything but an object. */
export function jsonObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Empty for anything but an array. */
export function jsonList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined for anything but a string with something in it. */
export function jsonText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A text of somebody else's, short enough for a message. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

const SHOWN_LENGTH_MAX = 80;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
