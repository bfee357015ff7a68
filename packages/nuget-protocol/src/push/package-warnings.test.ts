import { expect, test } from "vitest";
import type { Nuspec } from "../manifest/nuspec.ts";
import { packageWarnings } from "./package-warnings.ts";

const LICENSE: Nuspec["license"] = { type: "expression", text: "MIT" };
const [LICENSE_URL, ICON_URL] = ["https://acme.example/license", "https://acme.example/icon"];
const SOUND: Nuspec = {
  id: "Acme",
  version: "1.0.0",
  authors: "acme",
  description: "Widgets.",
  tags: [],
  license: LICENSE,
  readme: "README.md",
  requireLicenseAcceptance: false,
  developmentDependency: false,
  packageTypes: [],
  dependencyGroups: [],
};

const CASES: readonly (readonly [string, Partial<Nuspec>, readonly RegExp[]])[] = [
  ["nothing about a sound package", {}, []],
  ["that the license is missing", { license: undefined }, [/has no license/]],
  [
    "that a license address alone is deprecated",
    { license: undefined, licenseUrl: LICENSE_URL },
    [/<licenseUrl> is deprecated/],
  ],
  ["nothing about what tools write beside a license", { licenseUrl: LICENSE_URL }, []],
  ["that an icon address is deprecated", { iconUrl: ICON_URL }, [/<iconUrl> is deprecated/]],
  ["nothing about an icon address beside an icon", { iconUrl: ICON_URL, icon: "i.png" }, []],
  ["that the readme is missing", { readme: undefined }, [/no readme/]],
  [
    "everything at once",
    { license: undefined, iconUrl: ICON_URL, readme: undefined },
    [/has no license/, /<iconUrl>/, /readme/],
  ],
];

test.each(CASES)("says %s", (_, changes, words) => {
  const warnings = packageWarnings({ ...SOUND, ...changes });
  expect(warnings).toEqual(words.map((pattern) => expect.stringMatching(pattern) as string));
});
