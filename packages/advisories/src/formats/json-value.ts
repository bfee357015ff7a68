export type JsonObject = Readonly<Record<string, unknown>>;

const SHOWN_LENGTH_MAX = 80;

/** Returns an empty object for anything but an object. */
export function objectOf(value: unknown): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}

/** Returns an empty list for anything but an array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns `undefined` for anything but a string that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A value from outside as JSON, short enough for a message. */
export function shown(value: unknown): string {
  const text = written(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch {
    return "a value with too many levels";
  }
}
