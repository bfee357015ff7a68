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
