import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { howToInstall } from "./how-to-install.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

test("in a clone, the command installs the packages of the clone", () => {
  const { packageManager } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as {
    readonly packageManager: string;
  };
  const advice = howToInstall("@sealhouse/storage-aws-s3");
  expect(advice).toBe(`run "npx -y ${packageManager} install" in ${ROOT}`);
});

test.each([
  ["an installed host", "@sealhouse/storage-aws-s3", tmpdir()],
  ["a package of others", "acme-tape", import.meta.dirname],
])("for %s, the command installs the package", (_, name, folder) => {
  expect(howToInstall(name, folder)).toMatch(`run "npm install ${name}" in the working folder`);
});
