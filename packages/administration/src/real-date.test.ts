import { expect, test } from "vitest";
import { realDate } from "./real-date.ts";

test.each([
  ["2027-02-28", "2027-02-28T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2027-01-31T12:00Z", "2027-01-31T12:00:00.000Z"],
  ["2027-01-31T23:00:00-02:00", "2027-02-01T01:00:00.000Z"],
  ["2027-02-29", undefined],
  ["2027-02-31", undefined],
  ["2027-04-31T12:00Z", undefined],
  ["2027-13-01", undefined],
  ["2027-01-01T25:00Z", undefined],
  ["tomorrow", undefined],
  ["1", undefined],
])("%s is %s", (text, expected) => {
  expect(realDate(text)?.toISOString()).toBe(expected);
});
