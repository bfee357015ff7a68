import { expect, test } from "vitest";
import { tarballProblems } from "./release-tarball.ts";

const files = ["package/README.md", "package/LICENSE", "package/dist/index.js"];
const packed = (fields: object) => ({
  name: "@sealhouse/a",
  version: "1.2.0",
  files,
  manifest: JSON.stringify({ name: "@sealhouse/a", version: "1.2.0", ...fields }),
});

test("a complete tarball has no problems", () => {
  expect(tarballProblems(packed({ dependencies: { "@sealhouse/b": "^1.0.0" } }))).toEqual([]);
});

test.each([
  ["an old version", packed({ version: "1.1.0" }), "packed as 1.1.0"],
  [
    "a workspace range",
    packed({ dependencies: { b: "workspace:^" } }),
    "versions of the workspace",
  ],
  ["a catalog range", packed({ peerDependencies: { b: "catalog:" } }), "versions of the workspace"],
  ["no licence", { ...packed({}), files: files.toSpliced(1, 1) }, "lacks LICENSE"],
  ["no build", { ...packed({}), files: files.slice(0, 2) }, "lacks dist/index.js"],
  [
    "no file for an import",
    packed({ imports: { "#one": { types: "one", default: "./dist/one.js" } } }),
    "lacks dist/one.js",
  ],
  ["tests", { ...packed({}), files: [...files, "package/dist/a.test.js"] }, "contains tests"],
])("a tarball with %s is refused", (_, tarball, problem) => {
  expect(tarballProblems(tarball)).toEqual([expect.stringContaining(problem)]);
});
