import { expect, test } from "vitest";
import { parseRange } from "./byte-range.ts";

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
  ["bytes=0-1,3-4", "whole"],
  ["bytes=a-b", "whole"],
  ["bytes=1.5-2", "whole"],
  ["bytes 0-5", "whole"],
  ["items=0-5", "whole"],
  ["", "whole"],
  [undefined, "whole"],
])("Range: %s of ten bytes is %s", (header, expected) => {
  const asked = parseRange(header, 10);
  const shown = asked.status === "part" ? `${asked.range.start}-${asked.range.end}` : asked.status;
  expect(shown).toBe(expected);
});

test.each(["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=5-"])(
  "Range: %s of nothing is the whole of it",
  (header) => {
    expect(parseRange(header, 0)).toEqual({ status: "whole" });
  },
);
