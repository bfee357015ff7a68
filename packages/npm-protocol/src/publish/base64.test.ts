import { array, assert, property, uint8Array, integer } from "fast-check";
import { expect, test } from "vitest";
import { createBase64Decoder } from "./base64.ts";

test("decodes any bytes from pieces of any length", () => {
  assert(
    property(uint8Array({ maxLength: 200 }), array(integer({ min: 0, max: 9 })), (bytes, cuts) => {
      const text = Buffer.from(bytes).toString("base64");
      expect(decode(...pieces(text, cuts))).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each([
  ["a foreign character", "AAA*"],
  ["a foreign character before more", "A*AAAAAA"],
  ["white space", "AAAA AAAA"],
  ["a line break", "AAAA\nAAAA"],
  ["the URL-safe alphabet", "AA-_AAAA"],
  ["the URL-safe alphabet at the end", "AAAAAA-_"],
  ["padding in the middle", "AA==AAAA"],
  ["no padding", "AAAAAA"],
  ["a single character", "AAAAA"],
  ["too much padding", "AAAA===="],
  ["bits after the end", "AAAAAB=="],
  ["a high byte", "AAA\u00e9AAAA"],
  ["a backslash", "AAA\\AAAA"],
])("refuses %s", (_, text) => {
  expect(() => decode(text)).toThrow(SyntaxError);
  expect(() => decode(...text.split(""))).toThrow(SyntaxError);
});

function decode(...texts: readonly string[]): Buffer {
  const decoder = createBase64Decoder();
  return Buffer.concat([...texts.map((text) => decoder.push(text)), decoder.end()]);
}

function pieces(text: string, cuts: readonly number[]): readonly string[] {
  let rest = text;
  const cut = cuts.map((length) => {
    const piece = rest.slice(0, length);
    rest = rest.slice(length);
    return piece;
  });
  return [...cut, rest];
}
