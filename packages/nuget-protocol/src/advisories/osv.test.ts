import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readNuGetOsv } from "./osv.ts";

const GITHUB = {
  schema_version: "1.4.0",
  id: "GHSA-5crp-9r3c-p9vr",
  modified: "2026-01-02T03:04:05Z",
  published: "2025-12-01T00:00:00Z",
  aliases: ["CVE-2025-0001"],
  summary: "Deep nesting exhausts the stack",
  severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:L" }],
  affected: [
    affected("Acme.Json", [{ introduced: "0" }, { fixed: "13.0.1" }]),
    affected("Acme.Json", [{ introduced: "14.0.0" }, { fixed: "14.2.0" }]),
    { ...affected("acme-json", [{ introduced: "0" }]), package: { ecosystem: "npm", name: "x" } },
  ],
  references: [
    { type: "WEB", url: "https://acme.example/blog" },
    { type: "ADVISORY", url: "https://nvd.example/CVE-2025-0001" },
  ],
  database_specific: { cwe_ids: ["CWE-674"], severity: "HIGH", github_reviewed: true },
};

test("reads one advisory for each range of a package", () => {
  const shared = {
    id: "acme.json",
    severity: 2,
    url: "https://github.com/advisories/GHSA-5crp-9r3c-p9vr",
    advisoryId: "GHSA-5crp-9r3c-p9vr",
  };
  expect(readNuGetOsv(GITHUB)).toEqual({
    advisories: [
      { ...shared, versions: "(, 13.0.1)" },
      { ...shared, versions: "[14.0.0, 14.2.0)" },
    ],
    problems: [],
  });
});

test("orders prereleases as NuGet does, and merges ranges that touch", () => {
  const own = [
    affected("Acme.Json", [{ introduced: "1.0.0-beta.9" }, { fixed: "1.0.0-beta.10" }]),
    affected("ACME.json", [{ introduced: "1.0.0-beta.10" }, { last_affected: "1.4" }]),
    { ...affected("acme.json", []), ranges: [], versions: ["2.0"] },
  ];
  const { advisories } = readNuGetOsv({ ...GITHUB, affected: own });
  expect(advisories.map(({ versions }) => versions)).toEqual([
    "[1.0.0-beta.9, 1.4.0]",
    "[2.0.0, 2.0.0]",
  ]);
});

test("names what it skips, and reads the rest", () => {
  const broken = [
    affected("not an id!", [{ introduced: "0" }]),
    affected("Acme.Json", [{ introduced: "one" }]),
    affected("Acme.Xml", []),
    affected("Acme.Yaml", [{ introduced: "0" }, { fixed: "2.0.0" }]),
    { package: { ecosystem: "NuGet", name: "Acme.Nothing" } },
  ];
  const { advisories, problems } = readNuGetOsv({ ...GITHUB, affected: broken });
  expect(advisories.map(({ id }) => id)).toEqual(["acme.yaml"]);
  expect(problems).toEqual([
    'GHSA-5crp-9r3c-p9vr: "not an id!" is not a package name',
    "GHSA-5crp-9r3c-p9vr: Acme.Json: a range has an event with an invalid version: " +
      '{"introduced":"one"}',
    "GHSA-5crp-9r3c-p9vr: Acme.Xml: a range has no event that introduces the vulnerability",
    "GHSA-5crp-9r3c-p9vr: Acme.Nothing: the entry names no version",
  ]);
});

test("never throws, whatever a document contains", () => {
  const keys = ["id", "affected", "package", "ranges", "events", "versions", "severity"];
  const anything = fc.jsonValue({ maxDepth: 4 });
  const documents = fc.dictionary(fc.constantFrom(...keys), anything).map((fields) => ({
    ...GITHUB,
    ...fields,
    affected: [{ ...GITHUB.affected[0], ...fields }, fields["affected"]],
  }));
  fc.assert(fc.property(documents, (document) => void readNuGetOsv(document)));
  fc.assert(fc.property(anything, (document) => void readNuGetOsv(document)));
});

function affected(name: string, events: readonly object[]) {
  return {
    package: { ecosystem: "NuGet", name },
    ranges: [{ type: "ECOSYSTEM", events }],
  };
}
