import { expect, test } from "vitest";
import { formatReceivedRange, parseContentRange } from "./content-range.ts";

test.each([
  ["0-99", { start: 0, end: 99 }],
  ["5-5", { start: 5, end: 5 }],
  [" 100-199 ", { start: 100, end: 199 }],
  ["bytes 0-99/*", { start: 0, end: 99 }],
  ["bytes 0-99/1000", { start: 0, end: 99 }],
  ["bytes=0-99", { start: 0, end: 99 }],
])("reads %s", (text, expected) => {
  expect(parseContentRange(text)).toEqual(expected);
});

test.each(["", "-", "5-", "-5", "9-5", "a-b", "0-1,2-3", "0-9007199254740992", "1.5-2", "0x1-2"])(
  "refuses %j",
  (text) => {
    expect(parseContentRange(text)).toBeUndefined();
  },
);

test.each([
  [0, "0-0"],
  [1, "0-0"],
  [100, "0-99"],
])("tells %i received bytes as %s", (offset, expected) => {
  expect(formatReceivedRange(offset)).toBe(expected);
});
