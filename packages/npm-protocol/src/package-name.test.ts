import { expect, test } from "vitest";
import { basenameOf, parseNewPackageName, parseOldPackageName } from "./package-name.ts";

const anyAge = [
  "demo",
  "@acme/demo",
  "a",
  "@a/b",
  "left-pad",
  "x.y_z",
  "@a/_b",
  "v3",
  "some-module",
];
const oldOnly = ["JSONStream", "http", "fs", "a~b", "what!", "it's", "(x)", "a*", "@a/-", "@A/b"];
const never = [
  "",
  ".",
  "..",
  ".hidden",
  "_private",
  "-dash",
  "a/b",
  "@a",
  "@a/",
  "@/b",
  "@a/b/c",
  "@a/.b",
  "@a/..",
  "@../b",
  "@./b",
  " a",
  "a ",
  "a b",
  "a\\b",
  "a%2fb",
  "a\0",
  "a\n",
  "zo\u00eb",
  "\ud800",
  "node_modules",
  "favicon.ico",
  "__proto__",
  "constructor",
  "prototype",
  "@a/__proto__",
  "a".repeat(256),
];

test.each(anyAge)("%j is a name for a new package", (text) => {
  expect(parseNewPackageName(text)).toBe(text);
  expect(parseOldPackageName(text)).toBe(text);
});

test.each([...oldOnly, "a".repeat(215)])("%j is a name only for an old package", (text) => {
  expect(parseNewPackageName(text)).toBeUndefined();
  expect(parseOldPackageName(text)).toBe(text);
});

test.each(never)("%j is not a name", (text) => {
  expect(parseNewPackageName(text)).toBeUndefined();
  expect(parseOldPackageName(text)).toBeUndefined();
});

test.each([
  ["demo", "demo"],
  ["@acme/demo", "demo"],
])("the tarball of %s starts with %s", (text, basename) => {
  const name = parseNewPackageName(text);
  expect(name && basenameOf(name)).toBe(basename);
});
