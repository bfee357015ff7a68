import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { parseRequestPath, rawPathBelow } from "./request-path.ts";

test.each([
  ["/demo", "demo", []],
  ["/demo/", "demo", []],
  ["/demo/1.0.0", "demo", ["1.0.0"]],
  ["//demo/1.0.0", "demo", ["1.0.0"]],
  ["//@acme/demo", "@acme/demo", []],
  ["/demo/-/demo-1.0.0.tgz", "demo", ["-", "demo-1.0.0.tgz"]],
  ["/@acme%2fdemo", "@acme/demo", []],
  ["/@acme%2Fdemo", "@acme/demo", []],
  ["/@acme/demo", "@acme/demo", []],
  ["/%40acme/demo", "@acme/demo", []],
  ["/%40acme%2Fdemo", "@acme/demo", []],
  ["/@acme%252fdemo", "@acme/demo", []],
  ["/@acme%252Fdemo/latest", "@acme/demo", ["latest"]],
  ["/@acme%2fdemo/-rev/3-ab", "@acme/demo", ["-rev", "3-ab"]],
  ["/@acme/demo/-/demo-1.0.0.tgz", "@acme/demo", ["-", "demo-1.0.0.tgz"]],
  ["/@acme%2fdemo/-/demo-1.0.0.tgz", "@acme/demo", ["-", "demo-1.0.0.tgz"]],
  ["/@acme/demo/-/@acme/demo-1.0.0.tgz", "@acme/demo", ["-", "@acme", "demo-1.0.0.tgz"]],
  ["/@a/-", "@a/-", []],
  ["/@a/-/-/--1.0.0.tgz", "@a/-", ["-", "--1.0.0.tgz"]],
  ["/@a%2f-/1.0.0", "@a/-", ["1.0.0"]],
  ["/demo/a%2Fb", "demo", ["a/b"]],
])("%s is package %s and %j", (path, name, rest) => {
  expect(parseRequestPath(path)).toEqual({ type: "package", name, rest });
});

test.each([
  ["/-/ping", ["ping"], undefined],
  ["//-/ping", ["ping"], undefined],
  ["/-/v1/search", ["v1", "search"], undefined],
  ["/-/package/demo/dist-tags", ["package", "{name}", "dist-tags"], "demo"],
  ["/-/package/@acme%2fdemo/dist-tags", ["package", "{name}", "dist-tags"], "@acme/demo"],
  ["/-/package/@acme/demo/dist-tags/a", ["package", "{name}", "dist-tags", "a"], "@acme/demo"],
  ["/-/package/@a/-/dist-tags", ["package", "{name}", "dist-tags"], "@a/-"],
  ["/-/user/org.couchdb.user:al%20ice", ["user", "org.couchdb.user:al ice"], undefined],
])("%s is endpoint %j of %s", (path, segments, name) => {
  expect(parseRequestPath(path)).toEqual({ type: "endpoint", segments, ...(name && { name }) });
});

test.each(["", "/", "//"])("%j is the root", (path) => {
  expect(parseRequestPath(path)).toEqual({ type: "root" });
});

test.each([
  "/%00",
  "/..%2f..%2fetc",
  "/%2e%2e",
  "/.git",
  "/a%5cb",
  "/@acme",
  "/@acme/",
  "/@acme%2fdemo%2fmore",
  "/@acme%25252fdemo",
  "/demo%2fmore",
  "/__proto__",
  "/%zz",
  "/demo/%zz",
  "/%ff",
  "/-/package/..%2f/dist-tags",
  "/-/package/%zz/dist-tags",
  `/${"a".repeat(3000)}`,
])("refuses %s", (path) => {
  expect(parseRequestPath(path).type).toBe("invalid");
});

test("no path makes it throw, and no name escapes", () => {
  const part = constantFrom("/", "@", "%2f", "%252F", "-", "..", "%00", "\\", "a", "%", "\u00e9");
  assert(
    property(array(oneof(part, string()), { maxLength: 12 }), (parts) => {
      const path = parseRequestPath(`/${parts.join("")}`);
      if (path.type !== "package") return;
      expect(path.name).not.toMatch(/(?:^|\/)\.|[\\%\0]|\/.*\//);
    }),
  );
});

test.each([
  ["http://h/npm/@a%2fb?x=/y", "/npm", "/@a%2fb"],
  ["http://h/npm", "/npm", "/"],
  ["http://h/npm/", "/npm", "/"],
  ["http://h/npmx/demo", "/npm", undefined],
  ["http://h/demo#x", "", "/demo"],
  ["http://h", "", "/"],
  ["http://h?x", "", "/"],
  ["/npm/@a%2fb?x=http://y/z", "/npm", "/@a%2fb"],
  ["/demo", "", "/demo"],
])("of %s below %j the path is %s", (url, basePath, path) => {
  expect(rawPathBelow(url, basePath)).toBe(path);
});
