import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockedPackages } from "./lock-file-packages.ts";

const LOCK_FILE = `lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      demo:
        specifier: ^1.0.0
        version: 1.0.0(other@2.0.0)

packages:

  '@acme/a@1.2.0-rc.1':
    resolution: {integrity: sha512-AA==}
    engines: {node: '>=20'}

  demo@1.0.0:
    resolution: {integrity: sha512-AA==}

  demo@2.0.0:
    resolution: {integrity: sha512-AA==}

snapshots:

  demo@1.0.0(other@2.0.0): {}
`;

test("reads every name and version of the packages, and nothing of the other parts", () => {
  expect([...lockedPackages(LOCK_FILE)]).toEqual([
    ["@acme/a", new Set(["1.2.0-rc.1"])],
    ["demo", new Set(["1.0.0", "2.0.0"])],
  ]);
});

test("reads our own lock file", () => {
  const text = readFileSync(join(import.meta.dirname, "../pnpm-lock.yaml"), "utf8");
  const versions = [...lockedPackages(text).values()].flatMap((each) => [...each]);
  // Every package has one such line.
  expect(versions).toHaveLength(text.match(/^ {4}resolution: /gm)?.length ?? -1);
  expect(lockedPackages(text).has("vitest")).toBe(true);
});

test.each([
  ["another format", LOCK_FILE.replace("'9.0'", "'6.0'"), /format 9/],
  ["no packages", LOCK_FILE.replace("packages:", "pakete:"), /no packages/],
  [
    "a package of no registry",
    LOCK_FILE.replace("demo@2.0.0:", "demo@https://codeload.example/demo.tar.gz:"),
    /without a version: {3}demo@https/,
  ],
])("refuses %s", (_, text, words) => {
  expect(() => lockedPackages(text)).toThrow(words);
});
