import { expect, test } from "vitest";
import type { ManifestRead } from "./pull-counter.ts";
import { createPullCounter } from "./pull-counter.ts";
import { parseRepositoryName } from "./repository-name.ts";

const app = { asker: "me", repository: parseRepositoryName("app") };
const getTag: ManifestRead = { ...app, by: "tag", method: "GET" };
const headTag: ManifestRead = { ...app, by: "tag", method: "HEAD" };
const getDigest: ManifestRead = { ...app, by: "digest", method: "GET" };
const headDigest: ManifestRead = { ...app, by: "digest", method: "HEAD" };

test.each([
  ["crane, one image", [getTag], 1],
  ["skopeo, an index and two children", [getTag, getDigest, getDigest], 1],
  ["docker, an image", [headTag, getDigest], 1],
  ["docker, an index and its child", [headTag, getDigest, getDigest], 1],
  ["docker, twice", [headTag, getDigest, getDigest, headTag, getDigest], 2],
  ["docker, nothing new", [headTag], 0],
  ["by digest", [headDigest, getDigest, getDigest], 1],
  ["a tag, twice", [getTag, getTag], 2],
])("counts %s", (_, reads, expected) => {
  const starts = createPullCounter(() => 0);
  expect(reads.filter((read) => starts(read)).length).toBe(expected);
});

test("forgets a pull after three minutes", () => {
  let now = 0;
  const starts = createPullCounter(() => now);
  expect(starts(getTag)).toBe(true);
  now += 179_999;
  expect(starts(getDigest)).toBe(false);
  now += 1;
  expect(starts(getDigest)).toBe(true);
});

test("counts callers and repositories separately, and remembers a limited number", () => {
  const starts = createPullCounter(() => 0);
  expect(starts(getDigest)).toBe(true);
  expect(starts({ ...getDigest, asker: "you" })).toBe(true);
  expect(starts({ ...getDigest, repository: parseRepositoryName("b") })).toBe(true);
  expect(starts(getDigest)).toBe(false);
  for (let n = 0; n < 10_000; n += 1) starts({ ...getDigest, asker: `other-${n}` });
  expect(starts(getDigest)).toBe(true);
});
