import { UnexpectedRowError } from "../errors.ts";

/**
 * Parses a column that holds a JSON array of texts.
 *
 * @throws UnexpectedRowError when the text is something else
 */
export function textList(json: string): readonly string[] {
  const value: unknown = JSON.parse(json);
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new UnexpectedRowError("a list of texts", value);
}
