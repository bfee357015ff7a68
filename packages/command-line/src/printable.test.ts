import { expect, test } from "vitest";
import { printableLine, printableLines } from "./printable.ts";

test.each([
  ["plain Wörter 😀", "plain Wörter 😀", "plain Wörter 😀"],
  ["a\nb\tc", "a\nb\tc", "a\\u000ab\\u0009c"],
  ["\u001b[31mred", "\\u001b[31mred", "\\u001b[31mred"],
  ["a\r\u0000\u007f\u009b", "a\\u000d\\u0000\\u007f\\u009b", "a\\u000d\\u0000\\u007f\\u009b"],
])("%j keeps no control character", (text, lines, line) => {
  expect(printableLines(text)).toBe(lines);
  expect(printableLine(text)).toBe(line);
});
