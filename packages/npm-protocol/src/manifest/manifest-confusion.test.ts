import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { differingFields } from "./manifest-confusion.ts";

const base = { name: "@acme/demo", version: "1.0.0" };

test.each<[string, JsonObject, JsonObject]>([
  ["a leading v", { version: "v1.0.0" }, { version: "1.0.0" }],
  ["build metadata", { version: "1.0.0+build.5" }, { version: "1.0.0" }],
  ["people as objects", { author: "Zoe <z@x>" }, { author: { name: "Zoe", email: "z@x" } }],
  ["a repository as object", { repository: "a/b" }, { repository: { type: "git", url: "a/b" } }],
  ["keywords as list", { keywords: "a b" }, { keywords: ["a", "b"] }],
  ["an empty description", {}, { description: "" }],
  ["added private fields", { _x: 1 }, { gitHead: "abc", _id: "x", _nodeVersion: "24" }],
  ["bin as object", { bin: "./cli.js" }, { bin: { demo: "cli.js" } }],
  ["bin as bun names it", { bin: "cli.js" }, { bin: { "@acme/demo": "cli.js" } }],
  ["bin without ./", { bin: { a: "./x/../cli.js" } }, { bin: { a: "cli.js" } }],
  ["another order", { dependencies: { b: "1", a: "2" } }, { dependencies: { a: "2", b: "1" } }],
  ["bundled by its other name", { bundledDependencies: ["a"] }, { bundleDependencies: ["a"] }],
  [
    "everything bundled",
    { dependencies: { a: "1" }, bundleDependencies: true },
    { dependencies: { a: "1" }, bundleDependencies: ["a"] },
  ],
  [
    "optional ones twice",
    { dependencies: { a: "1", b: "1" }, optionalDependencies: { a: "1" } },
    { dependencies: { b: "1" }, optionalDependencies: { a: "1" } },
  ],
  ["empty maps", { dependencies: {}, scripts: {} }, {}],
  [
    "a script's path",
    { scripts: { install: "./node_modules/.bin/x y" } },
    { scripts: { install: "x y" } },
  ],
  ["a script that never runs", { scripts: { test: "a" } }, { scripts: { test: "b" } }],
  ["one platform", { os: "linux" }, { os: ["linux"] }],
  [
    "peers",
    { peerDependenciesMeta: { a: { optional: true } } },
    { peerDependenciesMeta: { a: { optional: true } } },
  ],
  [
    "commands listed",
    { directories: { bin: "./bin" } },
    { bin: { a: "bin/a.js" }, directories: { bin: "./bin" } },
  ],
])("takes %s for the same", (_, inside, sent) => {
  const packed = { packageJson: { ...base, ...inside }, hasGyp: false };
  expect(differingFields({ ...base, ...sent }, packed)).toEqual([]);
});

test.each<[string, JsonObject, JsonObject]>([
  ["name", { name: "other" }, {}],
  ["version", { version: "1.0.1" }, {}],
  ["version", { version: 1 }, {}],
  ["scripts", { scripts: { postinstall: "evil" } }, {}],
  ["scripts", {}, { scripts: { preinstall: "evil" } }],
  ["scripts", {}, { scripts: { install: "node-gyp rebuild" } }],
  ["dependencies", { dependencies: { a: "1" } }, {}],
  ["dependencies", { dependencies: { a: "1" } }, { dependencies: { a: "2" } }],
  ["dependencies", { dependencies: { __proto__: null, constructor: "1" } }, {}],
  ["optionalDependencies", { optionalDependencies: { a: "1" } }, {}],
  ["peerDependencies", {}, { peerDependencies: { a: "1" } }],
  ["peerDependenciesMeta", { peerDependenciesMeta: { a: { optional: true } } }, {}],
  ["bin", { bin: { npm: "evil.js" } }, {}],
  ["bin", { directories: { bin: "bin" } }, { bin: { a: "../evil.js" } }],
  ["engines", { engines: { node: ">=24" } }, {}],
  ["os", { os: ["linux"] }, {}],
  ["cpu", {}, { cpu: ["arm64"] }],
  ["libc", { libc: "musl" }, { libc: "glibc" }],
])("tells that %s differs", (field, inside, sent) => {
  const packed = { packageJson: { ...base, ...inside }, hasGyp: false };
  expect(differingFields({ ...base, ...sent }, packed)).toEqual([field]);
});

test("allows npm's own install script only where there is something to build", () => {
  const sent = { ...base, scripts: { install: "node-gyp rebuild" }, gypfile: true };
  const differs = (packageJson: JsonObject, hasGyp: boolean) =>
    differingFields(sent, { packageJson: { ...base, ...packageJson }, hasGyp });
  expect(differs({}, true)).toEqual([]);
  expect(differs({}, false)).toEqual(["scripts"]);
  expect(differs({ gypfile: false }, true)).toEqual(["scripts"]);
  expect(differs({ scripts: { preinstall: "x" } }, true)).toEqual(["scripts"]);
});

test("names every differing field", () => {
  const packed = {
    packageJson: { name: "a", version: "2.0.0", scripts: { postinstall: "x" } },
    hasGyp: false,
  };
  expect(differingFields(base, packed)).toEqual(["name", "version", "scripts"]);
});
