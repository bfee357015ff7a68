import { expect, test } from "vitest";
import { mayContinue, namesEtag } from "./etag.ts";

test.each([
  ['"x"', true],
  ['W/"x"', true],
  ["*", true],
  [" * ", true],
  ["x", true],
  ['"a", "x"', true],
  ['"a","x"', true],
  ['W/"a",W/"x", "b"', true],
  ['"x-gzip"', true],
  ['"x--gzip"', true],
  ['W/"x-zstd"', true],
  ['"x;br"', true],
  ['"a, x"', false],
  ['"y"', false],
  ['"x.gzip"', false],
  ['"xx"', false],
  ['"x-gzip-y"', false],
  ["", false],
  ['"', false],
])("If-None-Match: %s names x: %s", (header, expected) => {
  expect(namesEtag(header, "x")).toBe(expected);
});

test("a form that a proxy mangled is still that form", () => {
  expect(namesEtag('W/"x.gzip-gzip"', "x.gzip")).toBe(true);
  expect(namesEtag('"x.gzip"', "x.zstd")).toBe(false);
});

test.each([
  [undefined, true],
  ['"x"', true],
  ['W/"x"', false],
  ['"y"', false],
  ["Sat, 21 Nov 2026 10:00:00 GMT", false],
])("If-Range: %s allows a part of x: %s", (header, expected) => {
  expect(mayContinue(header, "x")).toBe(expected);
});
