import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

test("reads JSON with a byte order mark", () => {
  expect(parseJson(Buffer.from('\u{feff}{"a":[1,{}]}'))).toEqual({ a: [1, {}] });
});

test("refuses at once what is small as text and huge when it is read", () => {
  const bytes = Buffer.from(`[${"{},".repeat(15_000_000)}{}]`);
  const before = process.memoryUsage().heapUsed;
  expect(() => parseJson(bytes)).toThrow(SyntaxError);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
});

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const SHAPES = [
  ["500 levels", nested(500), true],
  ["501 levels", nested(501), false],
  ["levels in a text", JSON.stringify(nested(600)), true],
  ["ends of levels in a text", `["${"]".repeat(600)}",${nested(500)}]`, false],
  ["an escaped quotation mark", `["\\"${"[".repeat(600)}"]`, true],
  ["an escaped backslash", `["\\\\",${nested(500)}]`, false],
  ["a text without an end", `["${"[".repeat(600)}`, false],
] as const;

test.each(SHAPES)("reads a document by its depth: %s", (_, text, isRead) => {
  const read = () => parseJson(Buffer.from(text));
  if (isRead) expect(read()).toEqual(JSON.parse(text));
  else expect(read).toThrow(SyntaxError);
});
