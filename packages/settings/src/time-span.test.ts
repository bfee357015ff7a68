import { expect, test } from "vitest";
import { formatTimeSpan, parseTimeSpan } from "./time-span.ts";

test.each([
  ["00:00:30", 30_000],
  ["00:05", 300_000],
  ["1.00:00:00", 86_400_000],
  ["7.12:30:15", 7 * 86_400_000 + 12 * 3_600_000 + 30 * 60_000 + 15_000],
  ["00:00:00.25", 250],
  ["-00:00:01", -1_000],
  ["14", 14 * 86_400_000],
  ["-1", -86_400_000],
  ["00:00:00", 0],
  ["-00:00:00", 0],
])("reads %s", (text, expected) => {
  expect(parseTimeSpan(text)).toBe(expected);
});

test.each(["", "30s", "24:00:00", "00:60:00", "00:00:60", "1d", "1:2:3:4", "1.5", "one", " 00:01"])(
  "refuses %j",
  (text) => {
    expect(parseTimeSpan(text)).toBeUndefined();
  },
);

test.each(["00:00:30", "1.00:00:00", "00:00:00.250", "-00:00:01", "3650.00:00:00"])(
  "writes %s in its original form",
  (text) => {
    expect(formatTimeSpan(parseTimeSpan(text) ?? Number.NaN)).toBe(text);
  },
);
