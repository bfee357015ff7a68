import { expect, test } from "vitest";
import { OciError } from "./errors.ts";
import { parseReference } from "./reference.ts";

const digest = `sha256:${"0a".repeat(32)}`;

test.each([
  ["latest", { type: "tag", tag: "latest" }],
  ["_1.0-rc.1", { type: "tag", tag: "_1.0-rc.1" }],
  ["a".repeat(128), { type: "tag", tag: "a".repeat(128) }],
  [digest, { type: "digest", digest }],
  [`sha512:${"0a".repeat(64)}`, { type: "digest", digest: `sha512:${"0a".repeat(64)}` }],
])("reads %s", (text, expected) => {
  expect(parseReference(text)).toEqual(expected);
});

test.each(["", ".INVALID_MANIFEST_NAME", "-1", "a".repeat(129), "a b", "a/b", "ä", "a\0", "1\n"])(
  "knows no tag %j",
  (text) => {
    expect(parseReference(text)).toBeUndefined();
  },
);

test.each([
  "sha256:baddigeststring",
  digest.toUpperCase(),
  `sha256:${"0A".repeat(32)}`,
  `${digest}0`,
  `${digest}\n`,
  `md5:${"0".repeat(32)}`,
  ":",
])("refuses the digest %j", (text) => {
  expect(() => parseReference(text)).toThrow(OciError);
});
