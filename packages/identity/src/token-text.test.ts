import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { formatToken, parseTokenText } from "./token-text.ts";

test("a token has a prefix, 43 characters of base62 and a checksum of 6", () => {
  const { text, prefix } = formatToken(new Uint8Array(32).fill(255));
  expect(text).toMatch(/^shp_[0-9A-Za-z]{49}$/);
  expect(prefix).toBe(text.slice(0, 12));
});

test("has the same length for the smallest and the greatest secret", () => {
  const texts = [0, 255].map((byte) => formatToken(new Uint8Array(32).fill(byte)).text);
  expect(texts.map((text) => text.length)).toEqual([53, 53]);
  expect(texts[0]).toMatch(/^shp_0{43}/);
});

test("parses its own tokens", () => {
  for (let round = 0; round < 200; round += 1) {
    const made = formatToken(randomBytes(32));
    expect(parseTokenText(made.text)).toEqual(made);
  }
});

test("detects a mistyped character and two swapped ones", () => {
  const { text } = formatToken(Uint8Array.from({ length: 32 }, (_, index) => index * 7));
  for (let position = 4; position < text.length; position += 1) {
    const typo =
      text.slice(0, position) + (text[position] === "x" ? "y" : "x") + text.slice(position + 1);
    expect(parseTokenText(typo)).toBeUndefined();
    const swapped =
      text.slice(0, position) +
      text
        .slice(position, position + 2)
        .split("")
        .toReversed()
        .join("");
    if (swapped !== text.slice(0, position + 2)) {
      expect(parseTokenText(swapped + text.slice(position + 2))).toBeUndefined();
    }
  }
});

test("recognizes tokens of the earlier host by their form", () => {
  const text = "0123456789abcdef0123456789abcdef";
  expect(parseTokenText(text)).toEqual({ text, form: "imported", prefix: "01234567" });
});

test.each([
  "",
  "shp_",
  "AzureDevOps",
  `shp_${"0".repeat(49)}`,
  "0123456789ABCDEF".repeat(2),
  "a".repeat(5000),
])("%j is not a token", (text) => expect(parseTokenText(text)).toBeUndefined());

test("refuses too few random bytes", () => {
  expect(() => formatToken(new Uint8Array(16))).toThrow(RangeError);
});
