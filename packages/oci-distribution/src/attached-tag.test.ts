import { expect, test } from "vitest";
import { attachedTagsOf, fallbackTagOf, isAttachedTag, subjectOfTag } from "./attached-tag.ts";
import { digestOf } from "./digest.ts";

const digest = digestOf(Buffer.from("an image"));
const hex = digest.slice("sha256:".length);

test("tells whose the tags are that clients make for a digest", () => {
  for (const tag of [fallbackTagOf(digest), ...attachedTagsOf(digest)]) {
    expect(subjectOfTag(tag)).toBe(digest);
    expect(isAttachedTag(tag)).toBe(true);
  }
});

test("knows a tag that is cut short, though not whose it is", () => {
  const tag = fallbackTagOf(digestOf(Buffer.from("an image"), "sha512"));
  expect(isAttachedTag(tag)).toBe(true);
  expect(isAttachedTag(`${tag}0`)).toBe(false);
});

test.each([
  "latest",
  "1.0",
  hex,
  `sha256-${hex.slice(1)}`,
  `sha256-${hex}0`,
  `sha256-${hex.toUpperCase()}`,
  `sha256-${hex}.json`,
  `sha256-${hex}.sig.sig`,
  `x-sha256-${hex}`,
  fallbackTagOf(digestOf(Buffer.from("an image"), "sha512")),
])("takes %s for a tag that people gave", (tag) => {
  expect(subjectOfTag(tag)).toBeUndefined();
});
