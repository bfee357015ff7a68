import { expect, test } from "vitest";
import type { AskedRange } from "./byte-range.ts";
import { RANGES_MAX, parseRange } from "./byte-range.ts";

function shown(askedRange: AskedRange): string {
  if (askedRange.status === "part") return `${askedRange.range.start}-${askedRange.range.end}`;
  if (askedRange.status !== "parts") return askedRange.status;
  return askedRange.ranges.map(({ start, end }) => `${start}-${end}`).join(" ");
}

test.each([
  ["bytes=0-0", "0-0"],
  ["bytes=0-9", "0-9"],
  ["bytes=0-", "0-9"],
  ["bytes=3-5", "3-5"],
  ["bytes=9-9", "9-9"],
  ["bytes=5-99", "5-9"],
  ["bytes=5-99999999999999999999999", "5-9"],
  ["bytes=-1", "9-9"],
  ["bytes=-10", "0-9"],
  ["bytes=-99", "0-9"],
  ["Bytes = 3 - 5", "3-5"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=10-20", "unsatisfiable"],
  ["bytes=99999999999999999999999-", "unsatisfiable"],
  ["bytes=5-3", "unsatisfiable"],
  ["bytes=-", "whole"],
  ["bytes=0-1,3-4", "0-1 3-4"],
  ["bytes=0-1,2-4,9-", "0-1 2-4 9-9"],
  ["bytes= 0-1 ,\t-2", "0-1 8-9"],
  ["bytes=0-1,10-20", "0-1"],
  ["bytes=10-,20-30", "unsatisfiable"],
  ["bytes=-0,10-", "unsatisfiable"],
  ["bytes=0-3,3-4", "whole"],
  ["bytes=3-4,0-1", "whole"],
  ["bytes=0-1,-9", "whole"],
  ["bytes=0-1,5-3", "whole"],
  ["bytes=0-1,", "whole"],
  ["bytes=0-1,x", "whole"],
  ["bytes=0-1;3-4", "whole"],
  ["bytes=a-b", "whole"],
  ["bytes=1.5-2", "whole"],
  ["bytes 0-5", "whole"],
  ["items=0-5", "whole"],
  ["", "whole"],
  [undefined, "whole"],
])("Range: %s of ten bytes is %s", (header, expected) => {
  const askedRange = parseRange(header, 10);
  expect(shown(askedRange)).toBe(expected);
});

test.each(["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=5-"])(
  "Range: %s of nothing is the whole of it",
  (header) => {
    expect(parseRange(header, 0)).toEqual({ status: "whole" });
  },
);

test.each([
  [RANGES_MAX, "parts"],
  [RANGES_MAX + 1, "whole"],
  [1_000_000, "whole"],
])("%i ranges are %s", (count, status) => {
  const list = Array.from({ length: count }, (_, index) => `${index * 2}-${index * 2}`);
  expect(parseRange(`bytes=${list.join(",")}`, count * 2).status).toBe(status);
});

// A reader that looks twice at each character would take hours for these.
test.each([
  ["spaces", `bytes=${" ".repeat(3_000_000)}x`],
  ["spaces behind a number", `bytes=1${" ".repeat(3_000_000)}x`],
  ["digits", `bytes=${"1".repeat(3_000_000)}x`],
  ["ranges of spaces", `bytes=${`${" ".repeat(28)}x,`.repeat(100_000)}`],
])("reads a header of 3 MB of %s in one pass", (_, header) => {
  expect(parseRange(header, 10)).toEqual({ status: "whole" });
});
