// What may be read out of JSON that somebody else wrote.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Each takes some hundred bytes, however few it is written with. All that is known about NuGet
 * packages has a tenth of it. */
const VALUES_MAX = 2_000_000;
const [COMMA, BRACE, BRACKET] = [44, 123, 91];

/**
 * Whatever JSON says, unless reading it would take far more memory than its text.
 * @throws {SyntaxError | TypeError} also for text that is not UTF-8
 */
export function parseJson(bytes: Uint8Array): unknown {
  let values = 0;
  for (const byte of bytes) {
    // Those within texts count too, which there are few of.
    if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  }
  if (values > VALUES_MAX) throw new SyntaxError(`It has more than ${VALUES_MAX} values.`);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

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

/** A text of somebody else's, short enough for a message. */
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
