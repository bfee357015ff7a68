import { expect, test } from "vitest";
import { cvssBaseScore } from "./cvss.ts";

// The right column is what the calculator of FIRST shows for the vector.
test.each([
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10],
  ["CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", 7.5],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1],
  ["CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8],
  ["CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N", 3.7],
  ["CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4],
  ["CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:N", 0],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:P/RL:O", 9.8],
])("scores %s %d", (vector, score) => {
  expect(cvssBaseScore(vector)).toBe(score);
});

test.each([
  ["CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N", 9.8],
  ["CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N", 3.1],
])("scores %s as the same metrics of 3.1: %d", (vector, score) => {
  expect(cvssBaseScore(vector)).toBe(score);
});

test.each([
  "",
  "9.8",
  "AV:N/AC:L/Au:N/C:P/I:P/A:P",
  "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H",
  "CVSS:3.1/AV:constructor/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
  `CVSS:3.1/${"AV:N/".repeat(1000)}`,
])("does not score %j", (vector) => {
  expect(cvssBaseScore(vector)).toBeUndefined();
});
