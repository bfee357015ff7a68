import * as fc from "fast-check";
import { expect, test } from "vitest";
import { OciError } from "./errors.ts";
import { parseRoute } from "./route.ts";

const digest = `sha256:${"0".repeat(64)}`;

test.each([
  ["/v2", { type: "ping" }],
  ["/v2/", { type: "ping" }],
  ["/v2/_catalog", { type: "catalog" }],
  ["/v2/a/manifests/latest", { type: "manifest", name: "a", reference: "latest" }],
  ["/v2/team/app/tags/list", { type: "tags", name: "team/app" }],
  ["/v2/a/blobs/uploads", { type: "uploads", name: "a" }],
  ["/v2/a/blobs/uploads/", { type: "uploads", name: "a" }],
  ["/v2/a/blobs/uploads/some-id", { type: "upload", name: "a", id: "some-id" }],
  [`/v2/a/blobs/${digest}`, { type: "blob", name: "a", digest }],
  [`/v2/a/blobs/sha256%3A${"0".repeat(64)}`, { type: "blob", name: "a", digest }],
  [`/v2/a/referrers/${digest}`, { type: "referrers", name: "a", digest }],
  [`/v2/a/blobs/b/blobs/${digest}`, { type: "blob", name: "a/blobs/b", digest }],
  ["/v2/x/manifests/manifests/1", { type: "manifest", name: "x/manifests", reference: "1" }],
  ["/v2/x/manifests/blobs/uploads/", { type: "uploads", name: "x/manifests" }],
  ["/v2/a/blobs/uploads/tags/list", { type: "tags", name: "a/blobs/uploads" }],
  ["/v2/a/blobs/uploads/blobs/uploads/", { type: "uploads", name: "a/blobs/uploads" }],
  ["/v2/tags/list/tags/list", { type: "tags", name: "tags/list" }],
  ["/v2/a/manifests/", { type: "manifest", name: "a", reference: "" }],
  ["/v2/a/manifests/%2561", { type: "manifest", name: "a", reference: "%61" }],
])("reads %s", (path, expected) => {
  expect(parseRoute(path)).toEqual(expected);
});

test.each([
  "/",
  "/v1/",
  "/v2/a",
  "/v2//",
  "/v2/_catalog/",
  "/v2/manifests/1",
  "/v2/blobs/uploads/",
  "/v2/tags/list",
  "/v2/a/tags",
  "/v2/a/tags/all",
  "/v22/",
])("has no %s", (path) => {
  expect(parseRoute(path)).toBeUndefined();
});

test.each([
  "/v2/A/tags/list",
  "/v2/a%2Fb/tags/list",
  "/v2/a%2fb/tags/list",
  "/v2/../tags/list",
  "/v2/a/%2e%2e/tags/list",
  "/v2/a%00/tags/list",
  "/v2/a%5Cb/tags/list",
  "/v2/a\\b/tags/list",
  "/v2/a%252Fb/tags/list",
  "/v2/a//b/tags/list",
  "/v2/%ff/tags/list",
  "/v2/a/manifests/%",
])("refuses the name in %s", (path) => {
  expect(() => parseRoute(path)).toThrow(OciError);
});

const component = fc.stringMatching(/^[a-z0-9]{1,8}([._-][a-z0-9]{1,4})?$/);
const word = fc.constantFrom("blobs", "uploads", "manifests", "tags", "list", "referrers");
const names = fc
  .array(fc.oneof(component, word), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join("/"));

test("finds every repository behind every path, whatever it is called", () => {
  fc.assert(
    fc.property(names, (name) => {
      expect(parseRoute(`/v2/${name}/manifests/1`)).toEqual({
        type: "manifest",
        name,
        reference: "1",
      });
      expect(parseRoute(`/v2/${name}/blobs/${digest}`)).toEqual({ type: "blob", name, digest });
      expect(parseRoute(`/v2/${name}/blobs/uploads/`)).toEqual({ type: "uploads", name });
      expect(parseRoute(`/v2/${name}/blobs/uploads/1`)).toEqual({ type: "upload", name, id: "1" });
      expect(parseRoute(`/v2/${name}/tags/list`)).toEqual({ type: "tags", name });
    }),
  );
});

const fragments = fc
  .array(
    fc.oneof(word, fc.constantFrom("/", "%", "%2F", "%00", "%ff", "..", "\\", "\0", "é", "A", ":")),
  )
  .map((parts) => parts.join(""));

test("throws nothing but refusals, whatever the path", () => {
  fc.assert(
    fc.property(fragments, (text) => {
      try {
        parseRoute(`/v2/${text}`);
      } catch (error) {
        expect(error).toBeInstanceOf(OciError);
      }
    }),
  );
});
