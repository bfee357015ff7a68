import { expect, test } from "vitest";
import { faultsOf } from "./check-changesets.ts";

const packages = new Set(["@sealhouse/console", "@sealhouse/database"]);
const head = '---\n"@sealhouse/console": minor\n"@sealhouse/database": patch\n---\n';

test("a changeset with known packages and words for users is fine", () => {
  expect(faultsOf(`${head}\nShow images\n\nThere was no page.\n`, packages)).toEqual([]);
});

test.each([
  ["Show images\n", ["has no head between two lines of ---"]],
  [head, ["says nothing to users"]],
  ["---\n---\n\nShow images\n", ["names no package"]],
  [
    '---\n"@sealhouse/consoel": minor\n---\n\nShow\n',
    ["@sealhouse/consoel is not a released package"],
  ],
  ['---\n"@sealhouse/console": mayor\n---\n\nShow\n', ["mayor is not a release"]],
  ["---\n@sealhouse/console: minor\n---\n\nShow\n", ["is not a release"]],
  [
    '---\n"@sealhouse/console": minor\n"@sealhouse/console": patch\n---\n\nShow\n',
    ["@sealhouse/console is listed twice"],
  ],
])("%j is reported as such", (text, faults) => {
  expect(faultsOf(text, packages)).toEqual(faults.map((words) => expect.stringContaining(words)));
});
