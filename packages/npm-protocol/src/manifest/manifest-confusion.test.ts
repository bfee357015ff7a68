import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { differingFields, undeclaredFields } from "./manifest-confusion.ts";

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
  [
    "bin as list",
    { bin: ["./x/cli.js", "b.js"] },
    { bin: { "cli.js": "x/cli.js", "b.js": "b.js" } },
  ],
  ["bin above the package", { bin: "../cli.js" }, { bin: { demo: "cli.js" } }],
  ["bin as yarn 1 cuts it", { bin: { a: "../a.js", b: "b.js" } }, { bin: { b: "b.js" } }],
  ["bin that yarn 1 leaves out", { bin: "../a.js" }, {}],
  ["bin with a folder", { bin: { "x/a": "a.js", b: "" } }, { bin: { a: "a.js" } }],
  ["bin twice", { bin: { "@x/a": "1.js", a: "2.js" } }, { bin: { a: "1.js" } }],
  ["dependencies as list", { dependencies: ["a@1", "b"] }, { dependencies: { a: "1", b: "" } }],
  ["dependencies as text", { dependencies: "a@1, b@2" }, { dependencies: { a: "1", b: "2" } }],
  ["bundled as map", { bundleDependencies: { a: "1" } }, { bundleDependencies: ["a"] }],
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

test.each([
  ["u/r", "github:u/r"],
  ["u/r#semver:^1", "github:u/r#semver:^1"],
  ["git@github.com:u/r.git", "git+ssh://git@github.com/u/r.git"],
  ["https://github.com/u/r", "git+https://github.com/u/r.git"],
  ["https://github.com/u/r.git#main", "git+https://github.com/u/r.git#main"],
  ["git://github.com/u/r.git", "git://github.com/u/r.git"],
  ["ssh://git@github.com/u/r", "git+ssh://git@github.com/u/r.git"],
  ["gitlab:u/r", "gitlab:u/r"],
  ["https://gitlab.com/g/s/r", "git+https://gitlab.com/g/s/r.git"],
  ["git@gitlab.com:u/r", "git+ssh://git@gitlab.com/u/r.git"],
  ["https://bitbucket.org/u/r", "git+https://bitbucket.org/u/r.git"],
  ["https://git.sr.ht/~u/r.git", "https://git.sr.ht/~u/r"],
  ["gist:11081aaa281", "gist:11081aaa281"],
])("takes a dependency on %s for one on %s", (inside, sent) => {
  for (const field of ["dependencies", "optionalDependencies"]) {
    const packed = { packageJson: { ...base, [field]: { a: inside } }, hasGyp: false };
    for (const spec of [inside, sent]) {
      expect(differingFields({ ...base, [field]: { a: spec } }, packed)).toEqual([]);
    }
  }
});

test.each<[string, JsonObject, JsonObject]>([
  ["name", { name: "other" }, {}],
  ["version", { version: "1.0.1" }, {}],
  ["version", { version: 1 }, {}],
  ["scripts", { scripts: { postinstall: "evil" } }, {}],
  ["dependencies", { dependencies: { a: "u/r" } }, { dependencies: { a: "github:u/other" } }],
  ["dependencies", { dependencies: { a: "u/r#v1" } }, { dependencies: { a: "github:u/r" } }],
  ["dependencies", { dependencies: ["a@1"] }, { dependencies: { a: "2" } }],
  ["bin", { bin: { a: "../a.js", b: "b.js" } }, {}],
  ["bin", { bin: ["a.js"] }, { bin: { npm: "a.js" } }],
  ["scripts", {}, { scripts: { preinstall: "evil" } }],
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
])("reports a difference in %s", (field, inside, sent) => {
  const packed = { packageJson: { ...base, ...inside }, hasGyp: false };
  expect(differingFields({ ...base, ...sent }, packed)).toEqual([field]);
});

test("allows npm's own install script unless the package has scripts or no gyp file", () => {
  const sent = { ...base, scripts: { install: "node-gyp rebuild" }, gypfile: true };
  const differs = (packageJson: JsonObject, hasGyp: boolean) =>
    differingFields(sent, { packageJson: { ...base, ...packageJson }, hasGyp });
  expect(differs({}, true)).toEqual([]);
  // npm also adds it for a file in the folder that is not packed.
  expect(differs({}, false)).toEqual([]);
  expect(differs({ gypfile: false }, true)).toEqual(["scripts"]);
  expect(differs({ scripts: { preinstall: "x" } }, true)).toEqual(["scripts"]);
});

test.each<[JsonObject, JsonObject, readonly string[]]>([
  [{ name: "other" }, {}, ["name"]],
  [{ version: "2.0.0" }, {}, ["version"]],
  [{ scripts: { postinstall: "evil" } }, {}, ["scripts"]],
  [{ scripts: { postinstall: "evil" } }, { scripts: { postinstall: "good" } }, ["scripts"]],
  [{ dependencies: { a: "2" } }, { dependencies: { a: "1" } }, ["dependencies"]],
  [{ optionalDependencies: { a: "2" } }, {}, ["optionalDependencies"]],
  [{ peerDependencies: { a: "2" } }, {}, ["peerDependencies"]],
  [{}, { peerDependenciesMeta: { a: { optional: true } } }, ["peerDependenciesMeta"]],
  [{ bin: { npm: "evil.js" } }, {}, ["bin"]],
  [{ dependencies: { a: "1" } }, { scripts: { install: "x" } }, ["dependencies"]],
  [{}, { scripts: { postinstall: "husky" }, dependencies: { a: "1" }, bin: { a: "a.js" } }, []],
  [{ engines: { node: ">=24" }, os: ["linux"] }, { cpu: ["x64"], libc: "musl" }, []],
])("a tarball with %j and a manifest with %j: undeclared is %j", (inside, sent, expected) => {
  const packed = { packageJson: { ...base, ...inside }, hasGyp: false };
  expect(undeclaredFields({ ...base, ...sent }, packed)).toEqual(expected);
});

test("names every differing field", () => {
  const packed = {
    packageJson: { name: "a", version: "2.0.0", scripts: { postinstall: "x" } },
    hasGyp: false,
  };
  expect(differingFields(base, packed)).toEqual(["name", "version", "scripts"]);
});
