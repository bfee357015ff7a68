import { expect, test } from "vitest";
import { kindOfTest, wrongScripts } from "./test-kinds.ts";

test.each([
  ["packages/jobs/src/leases.test.ts", "unit"],
  ["packages/database/src/oci/upkeep.database.test.ts", "database"],
  ["hosts/registry/test/faults/kill.test.ts", "database"],
  ["hosts/registry/test/npm-clients/tags.test.ts", "clients"],
  ["hosts/registry/test/clients/dotnet.test.ts", "clients"],
  ["packages/console/src/front/front-page.browser.test.ts", "clients"],
  ["packages/repo-signing/src/sign/dotnet-verify.clients.test.ts", "clients"],
  ["packages/oci-distribution/src/client/copy.test.ts", "unit"],
])("the kind of %s is %s", (file, kind) => {
  expect(kindOfTest(file)).toBe(kind);
});

const scripts = { build: "x", typecheck: "x", lint: "x", test: "x" };
const folder = "packages/a";

test("every kind of tests needs its script", () => {
  const tests = new Map([["packages/a/src/a.database.test.ts", ""]]);
  expect(wrongScripts({ folder, scripts, tests })).toEqual([
    "packages/a/package.json: has no script test:database",
  ]);
  const complete = { ...scripts, "test:database": "x" };
  expect(wrongScripts({ folder, scripts: complete, tests })).toEqual([]);
});

test("a script without tests and a misnamed file are refused", () => {
  const tests = new Map([["packages/a/src/a.test.ts", "testableDatabases()"]]);
  const more = { ...scripts, "test:clients": "x" };
  expect(wrongScripts({ folder, scripts: more, tests })).toEqual([
    "packages/a/package.json: test:clients has no tests",
    "packages/a/src/a.test.ts: starts databases; name it *.database.test.ts",
  ]);
});
