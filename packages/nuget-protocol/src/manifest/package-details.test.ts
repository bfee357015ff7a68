import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Nuspec } from "./nuspec.ts";
import { parseNuspec } from "./nuspec.ts";
import { packageLinks, parseDetails } from "./package-details.ts";
import { buildNuspec } from "../testing/build-nupkg.ts";

const base = "https://feed.example";

test("gives back what was read from a manifest", () => {
  const outcome = parseNuspec(
    Buffer.from(
      buildNuspec(`<id>A</id><version>1.0</version><authors>a</authors><description>d</description>
        <title>t</title><releaseNotes>n</releaseNotes><copyright>c</copyright><tags>x y</tags>
        <icon>i.png</icon><license type="file">LICENSE</license>
        <requireLicenseAcceptance>true</requireLicenseAcceptance>
        <developmentDependency>true</developmentDependency>
        <repository type="git" url="https://acme.example/a.git"/>
        <packageTypes><packageType name="DotnetTool"/></packageTypes>
        <dependencies><group targetFramework="net8.0"><dependency id="B" version="1.0"/></group>
        </dependencies>`),
    ),
  );
  if (outcome.status === "invalid") throw new Error(outcome.problems.join(" "));
  const { id: _, version: __, ...expected } = outcome.nuspec;
  expect(parseDetails({ details: JSON.stringify(outcome.nuspec) })).toEqual(expected);
});

test("calls a package without types a dependency", () => {
  const { packageTypes } = parseDetails({ details: '{"packageTypes":[]}' });
  expect(packageTypes).toEqual([{ name: "Dependency" }]);
});

const FIELDS: readonly (keyof Nuspec)[] = [
  "authors",
  "tags",
  "icon",
  "license",
  "packageTypes",
  "repository",
  "dependencyGroups",
];

test("never throws, whatever the record contains", () => {
  const anything = fc.oneof(
    fc.json(),
    fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue()).map((value) => JSON.stringify(value)),
    fc.string(),
    fc.constant('{"license":{"type":"expression","text":"\\ud800"}}'),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const details = parseDetails({ details: text });
      const links = packageLinks(base, { id: "A", version: "1.0.0" }, details);
      expect(typeof JSON.stringify({ details, links })).toBe("string");
      expect(details.packageTypes).not.toEqual([]);
    }),
  );
});
