// Readers of values in foreign JSON.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined for anything but an object. */
export function jsonObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Empty for anything but an array. */
export function jsonList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined for anything but a string with something in it. */
export function jsonText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A foreign text, shortened for a message. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : written(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

const SHOWN_LENGTH_MAX = 80;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch {
    return "what is nested too deeply";
  }
}
