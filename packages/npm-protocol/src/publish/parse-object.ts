import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject, namesPrototype } from "../json.ts";

/**
 * The JSON object that a body is.
 *
 * @throws NpmError `document-invalid`, also for one with a key `__proto__` and for bytes that
 *   `read` cannot make a text of
 */
export function parseObject(read: () => string): JsonObject {
  let parsed: { readonly text: string; readonly value: unknown };
  try {
    const text = read();
    parsed = { text, value: JSON.parse(text) };
  } catch (cause) {
    throw new NpmError("document-invalid", "The body is not valid JSON in UTF-8.", { cause });
  }
  const { text, value } = parsed;
  if (!isObject(value)) throw new NpmError("document-invalid", "The body is not a JSON object.");
  if (namesPrototype(text, value)) {
    throw new NpmError("document-invalid", 'The body has the key "__proto__".');
  }
  return value;
}
