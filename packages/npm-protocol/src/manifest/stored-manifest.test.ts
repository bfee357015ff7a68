import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { parseNewPackageName } from "../package-name.ts";
import { parsePackageVersion } from "../package-version.ts";
import { buildStoredManifest } from "./stored-manifest.ts";

const own = {
  _id: "@acme/demo@1.0.0",
  _npmUser: { name: "alice", email: "" },
  maintainers: [{ name: "alice", email: "" }],
  _hasShrinkwrap: false,
};

test("keeps what describes the package and drops what is not the client's to say", () => {
  const { manifest, description, keywords } = build({
    description: "Shows things",
    keywords: ["a", 1, "b"],
    license: "MIT",
    exports: { ".": "./a.js" },
    gitHead: "abc",
    _nodeVersion: "24.0.0",
    _npmVersion: 12,
    dist: { tarball: "http://evil", integrity: "x" },
    deprecated: "buy the other one",
    maintainers: [{ name: "mallory" }],
    _npmUser: { name: "mallory" },
    _id: "other@9.9.9",
    users: { mallory: true },
    readme: "# long",
    _resolved: "/home/alice/tmp/demo.tgz",
    _from: "file:demo.tgz",
    _integrity: "sha512-x",
    integrity: "sha512-x",
    shasum: "x",
    hasInstallScript: true,
    _hasShrinkwrap: true,
    _x: 1,
  });
  expect(JSON.parse(manifest)).toEqual({
    name: "@acme/demo",
    version: "1.0.0",
    description: "Shows things",
    keywords: ["a", 1, "b"],
    license: "MIT",
    exports: { ".": "./a.js" },
    gitHead: "abc",
    _nodeVersion: "24.0.0",
    ...own,
  });
  expect({ description, keywords }).toEqual({ description: "Shows things", keywords: ["a", "b"] });
});

test("takes what is installed and run from the tarball", () => {
  const sent = { dependencies: { x: "1" }, bin: { other: "x.js" }, os: ["darwin"] };
  const inside = {
    dependencies: { a: "^1" },
    bin: "./cli.js",
    scripts: { test: "vitest", postinstall: "node x.js" },
    bundledDependencies: ["a"],
  };
  expect(JSON.parse(build(sent, inside).manifest)).toEqual({
    name: "@acme/demo",
    version: "1.0.0",
    dependencies: { a: "^1" },
    bin: { demo: "cli.js" },
    scripts: { test: "vitest", postinstall: "node x.js" },
    bundleDependencies: ["a"],
    hasInstallScript: true,
    ...own,
  });
});

test("shows installers what they need, and nothing else", () => {
  const sent = {
    description: "x",
    funding: "https://a",
    devDependencies: { d: "1" },
    directories: { lib: "lib" },
    acceptDependencies: { a: "2" },
  };
  const inside = { libc: "musl", engines: { node: ">=24" }, scripts: { install: "x" } };
  const { abbreviated } = build(sent, inside, { hasShrinkwrap: true });
  expect(JSON.parse(abbreviated)).toEqual({
    name: "@acme/demo",
    version: "1.0.0",
    acceptDependencies: { a: "2" },
    devDependencies: { d: "1" },
    directories: { lib: "lib" },
    engines: { node: ">=24" },
    funding: "https://a",
    libc: ["musl"],
    hasInstallScript: true,
    _hasShrinkwrap: true,
  });
});

test.each<[string, JsonObject, object, boolean | undefined]>([
  ["no script", {}, {}, undefined],
  ["a test script", { scripts: { test: "x" } }, {}, undefined],
  ["a prepare script", { scripts: { prepare: "x" } }, {}, undefined],
  ["an install script", { scripts: { install: "x" } }, {}, true],
  ["a preinstall script", { scripts: { preinstall: "x" } }, {}, true],
  ["something to build", {}, { hasBindingGyp: true }, true],
  ["something not to build", { gypfile: false }, { hasBindingGyp: true }, undefined],
])("recognises whether a package with %s has install scripts", (_, inside, flags, expected) => {
  const { manifest } = build({}, inside, flags);
  expect((JSON.parse(manifest) as JsonObject)["hasInstallScript"]).toBe(expected);
});

test.each([
  ["../evil.js", "evil.js"],
  ["/etc/x", "etc/x"],
  ["a/../../x", "x"],
  ["..\\\\..\\\\x", "x"],
])("a command that points to %s stays in the package, as npm has it", (file, expected) => {
  const { manifest, abbreviated } = build({}, { bin: { a: file } });
  for (const text of [manifest, abbreviated]) {
    expect(JSON.parse(text)).toMatchObject({ bin: { a: expected } });
  }
});

test("refuses a manifest that is too large to be read with every document", () => {
  expect(() => build({ description: "x".repeat(1_100_000) })).toThrow(/larger than 1 MiB/);
});

function build(sent: JsonObject, inside: JsonObject = {}, flags: object = {}) {
  const name = parseNewPackageName("@acme/demo");
  const version = parsePackageVersion("1.0.0");
  if (!name || !version) throw new Error("no name");
  const packed = {
    packageJson: { name, version, ...inside },
    fileCount: 1,
    unpackedSize: 1,
    hasShrinkwrap: false,
    hasBindingGyp: false,
    hasGyp: false,
    caseTwins: [],
    ...flags,
  };
  return buildStoredManifest({ name, version, sent, packed, publisher: "alice" });
}
