import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatRange, versions as order } from "../testing/versions.test.support.ts";
import { affectedRanges, mergeRanges } from "./affected-ranges.ts";

test.each([
  ["before a fix", [{ introduced: "0" }, { fixed: "1.2.3" }], ["(, 1.2.3)"]],
  ["from a version on", [{ introduced: "1.0" }], ["[1.0, )"]],
  ["everything", [{ introduced: "0" }], ["(, )"]],
  [
    "up to the last one known",
    [{ introduced: "1.0.0" }, { last_affected: "1.4" }],
    ["[1.0.0, 1.4]"],
  ],
  ["one version", [{ introduced: "1.0.0" }, { last_affected: "1.0.0" }], ["[1.0.0, 1.0.0]"]],
  [
    "two branches, in any order",
    [{ fixed: "2.1.0" }, { introduced: "0" }, { introduced: "2.0.0" }, { fixed: "1.5.0" }],
    ["(, 1.5.0)", "[2.0.0, 2.1.0)"],
  ],
  [
    "what was fixed and broken again at once",
    [{ introduced: "0" }, { fixed: "1.0.0" }, { introduced: "1.0.0" }, { fixed: "2.0.0" }],
    ["(, 2.0.0)"],
  ],
  ["nothing, when it was fixed at once", [{ introduced: "1.0.0" }, { fixed: "1.0.0" }], []],
  [
    "versions in the order of the ecosystem",
    [{ introduced: "1.0.9" }, { fixed: "1.0.10" }],
    ["[1.0.9, 1.0.10)"],
  ],
  ["up to a limit", [{ introduced: "0" }, { limit: "3.0.0" }], ["(, 3.0.0)"]],
  ["without a limit", [{ introduced: "0" }, { limit: "*" }], ["(, )"]],
])("reads %s", (_, events, expected) => {
  expect(read({ ranges: [{ type: "ECOSYSTEM", events }] })).toEqual({
    ranges: expected,
    problems: [],
  });
});

test("puts ranges together that touch, and leaves gaps", () => {
  const ranges = [
    ["1.5.0", "1.8.0"],
    ["1.0.0", "1.5.0"],
    ["3.0.0", "4.0.0"],
    ["1.1.0", "1.2.0"],
  ].map(([introduced, fixed]) => ({ type: "SEMVER", events: [{ introduced }, { fixed }] }));
  expect(read({ ranges }).ranges).toEqual(["[1.0.0, 1.8.0)", "[3.0.0, 4.0.0)"]);
});

test("adds the listed versions that no range holds, each once", () => {
  const ranges = [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "1.0.0" }] }];
  const versions = ["0.1.0", "0.9.0", "2.0", "2.0.0", "1.0.0"];
  expect(read({ ranges, versions }).ranges).toEqual(["(, 1.0.0]", "[2.0, 2.0]"]);
});

test("takes GitHub's word for where a range without a fix ends", () => {
  const ranges = [{ type: "ECOSYSTEM", events: [{ introduced: "0" }] }];
  const ending = (text: string) =>
    read({ ranges, database_specific: { last_known_affected_version_range: text } }).ranges;
  expect(ending("<= 1.4.2")).toEqual(["(, 1.4.2]"]);
  expect(ending("< 1.4.2")).toEqual(["(, 1.4.2)"]);
  expect(ending("soon")).toEqual(["(, )"]);
});

test.each([
  [{ ranges: [{ type: "GIT", events: [{ introduced: "0" }] }] }, 0],
  [{ ranges: [{ type: "ECOSYSTEM", events: [] }] }, 1],
  [{ ranges: [{ type: "ECOSYSTEM", events: [{ fixed: "1.0.0" }] }] }, 1],
  [{ ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "abc" }] }] }, 1],
  [{ ranges: [{ type: "ECOSYSTEM", events: [{ introduced: 0 }] }] }, 1],
  [{ ranges: [{ type: "ECOSYSTEM", events: "all" }] }, 1],
  [{ ranges: [{ type: "ECOSYSTEM", events: [{}] }] }, 1],
  [{ ranges: [null, 7, []] }, 0],
  [{ ranges: "all", versions: {} }, 0],
  [{ versions: ["1.x", 7] }, 2],
  [{ versions: Array.from({ length: 10_001 }, (_, index) => `${index}.0.0`) }, 1],
  [undefined, 0],
])("ignores %j, and reports it where it should", (affected, problems) => {
  const reading = read(affected);
  expect(reading.ranges).toEqual([]);
  expect(reading.problems).toHaveLength(problems);
});

test("a version is in the merged ranges exactly when it is in one of the pairs", () => {
  const pair = fc.tuple(fc.nat(12), fc.nat(12), fc.boolean());
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 6 }), fc.nat(13), (pairs, probe) => {
      const ranges = pairs.map(([from, to, isLast]) => ({
        type: "ECOSYSTEM",
        events: [{ introduced: `1.${from}` }, { [isLast ? "last_affected" : "fixed"]: `1.${to}` }],
      }));
      // An end before the beginning ends nothing: the evaluation goes by version.
      const expected = pairs.some(([from, to, isLast]) => {
        if (to < from) return probe >= from;
        return probe >= from && (isLast ? probe <= to : probe < to);
      });
      const listed = { ranges, versions: [`1.${probe}`] };
      const count = affectedRanges({ ranges }, order).ranges.length;
      // A separate listed version means that no range contains it.
      expect(affectedRanges(listed, order).ranges.length === count).toBe(expected);
    }),
  );
});

function read(affected: unknown) {
  const { ranges, problems } = affectedRanges(affected, order);
  return { ranges: mergeRanges(ranges, order).map(formatRange), problems };
}
