import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parseNewPackageName, parseOldPackageName } from "@sealhouse/npm-protocol";
import { expect, test } from "vitest";

// The rules for names follow those of npm 12, which it shares with npm 11.

type Validity = { readonly validForNewPackages: boolean; readonly validForOldPackages: boolean };

const NPM = fileURLToPath(new URL("node_modules/npm-12/package.json", import.meta.url));

function validityBy(name: string): Validity {
  const validate = createRequire(NPM)("validate-npm-package-name") as (text: string) => Validity;
  const { validForNewPackages, validForOldPackages } = validate(name);
  return { validForNewPackages, validForOldPackages };
}

function ourValidityOf(name: string): Validity {
  return {
    validForNewPackages: parseNewPackageName(name) !== undefined,
    validForOldPackages: parseOldPackageName(name) !== undefined,
  };
}

test.skipIf(!existsSync(NPM)).each([
  ["demo", true, true],
  ["@e2e-names/_x-1", true, true],
  ["@con/x-1", true, true],
  ["@a/-b", true, true],
  ["nul.1", true, true],
  ["JSONStream-1", false, true],
  ["http", false, true],
  ["it's", false, true],
  ["-x-1", false, false],
  ["-", false, false],
  ["_x-1", false, false],
  [".x-1", false, false],
  ["@a/.b", false, false],
  ["node_modules", false, false],
])("%s is a name for new packages (%s) and for old ones (%s)", (name, isNew, isOld) => {
  const validity = { validForNewPackages: isNew, validForOldPackages: isOld };
  expect(validityBy(name)).toEqual(validity);
  expect(ourValidityOf(name)).toEqual(validity);
});
