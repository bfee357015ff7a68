import * as fc from "fast-check";
import { expect, test } from "vitest";
import { OSV_BYTES_MAX, parseOsv, readOsv } from "./osv.ts";

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

test("takes over what GitHub says about a package, range by range", () => {
  const shared = {
    id: "acme.json",
    severity: 2,
    url: "https://github.com/advisories/GHSA-5crp-9r3c-p9vr",
    advisoryId: "GHSA-5crp-9r3c-p9vr",
  };
  expect(readOsv(GITHUB)).toEqual({
    advisories: [
      { ...shared, versions: "(, 13.0.1)" },
      { ...shared, versions: "[14.0.0, 14.2.0)" },
    ],
    problems: [],
  });
});

test("takes nothing from a withdrawn document, nor from one about other ecosystems", () => {
  const empty = { advisories: [], problems: [] };
  expect(readOsv({ ...GITHUB, withdrawn: "2026-02-01T00:00:00Z" })).toEqual(empty);
  expect(readOsv({ ...GITHUB, affected: [GITHUB.affected[2]] })).toEqual(empty);
  expect(readOsv({ ...GITHUB, affected: undefined })).toEqual(empty);
});

const CVSS_CRITICAL = {
  type: "CVSS_V3",
  score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
};

test.each([
  ["LOW", { database_specific: { severity: "LOW" } }, 0],
  ["moderate", { database_specific: { severity: "MODERATE" } }, 1],
  ["medium, as others write it", { database_specific: { severity: "Medium" } }, 1],
  ["critical", { database_specific: { severity: "CRITICAL" } }, 3],
  ["by its score, when the name is unknown", { database_specific: { severity: "BAD" } }, 0],
  ["by its score, without a name", { database_specific: undefined, severity: [CVSS_CRITICAL] }, 3],
  ["moderate, when nobody says anything", { database_specific: undefined, severity: undefined }, 1],
  [
    "moderate, when what is said makes no sense",
    { database_specific: { severity: "constructor" }, severity: [{ score: 9 }, "x"] },
    1,
  ],
  [
    "critical, when it is malware",
    { id: "MAL-2026-1", database_specific: undefined, severity: undefined },
    3,
  ],
])("the severity is %s", (_, given, severity) => {
  const [first] = readOsv({ ...GITHUB, ...given }).advisories;
  expect(first?.severity).toBe(severity);
});

test("a package's own severity goes before the document's", () => {
  const own = { ...GITHUB.affected[0], database_specific: { severity: "CRITICAL" } };
  expect(readOsv({ ...GITHUB, affected: [own] }).advisories[0]?.severity).toBe(3);
});

test.each([
  ["GHSA-5CRP-9R3C-P9VR", "https://github.com/advisories/GHSA-5crp-9r3c-p9vr"],
  ["ACME-2026-1", "https://nvd.example/CVE-2025-0001"],
])("sends people who read about %s to %s", (id, url) => {
  expect(readOsv({ ...GITHUB, id }).advisories[0]?.url).toBe(url);
});

test("sends them to osv.dev when there is no page it could name", () => {
  const references = [
    { type: "ADVISORY", url: "javascript:alert(1)" },
    { type: "ADVISORY", url: 7 },
    null,
  ];
  const [first] = readOsv({ ...GITHUB, id: "ACME:1", references }).advisories;
  expect(first?.url).toBe("https://osv.dev/vulnerability/ACME%3A1");
});

test("says what it could not take over, and takes over the rest", () => {
  const broken = [
    affected("not an id!", [{ introduced: "0" }]),
    affected("Acme.Json", [{ introduced: "one" }]),
    affected("Acme.Xml", []),
    affected("Acme.Yaml", [{ introduced: "0" }, { fixed: "2.0.0" }]),
    { package: { ecosystem: "NuGet", name: "Acme.Nothing" } },
  ];
  const { advisories, problems } = readOsv({ ...GITHUB, affected: broken });
  expect(advisories.map(({ id }) => id)).toEqual(["acme.yaml"]);
  expect(problems).toEqual([
    "GHSA-5crp-9r3c-p9vr: not an id! is no package id",
    'GHSA-5crp-9r3c-p9vr: Acme.Json: a range has the event {"introduced":"one"}, ' +
      "which is no version",
    "GHSA-5crp-9r3c-p9vr: Acme.Xml: a range has no event that introduces the vulnerability",
    "GHSA-5crp-9r3c-p9vr: Acme.Nothing: no version is named",
  ]);
});

test.each([
  ["", 1],
  ["[]", 1],
  ["null", 1],
  ['{"id":7}', 1],
  ['{"id":"../../etc/passwd"}', 1],
  ['{"id":"', 1],
  ["[".repeat(100_000), 1],
  [`{"id":"A","x":"${"x".repeat(OSV_BYTES_MAX)}"}`, 1],
])("refuses a text that is no document (%#)", (text, problems) => {
  const read = parseOsv(text);
  expect(read.advisories).toEqual([]);
  expect(read.problems).toHaveLength(problems);
});

test("never throws, whatever stands where", () => {
  const keys = ["id", "affected", "package", "ranges", "events", "versions", "severity"];
  const anything = fc.jsonValue({ maxDepth: 4 });
  const documents = fc.dictionary(fc.constantFrom(...keys), anything).map((fields) => ({
    ...GITHUB,
    ...fields,
    affected: [{ ...GITHUB.affected[0], ...fields }, fields["affected"]],
  }));
  fc.assert(fc.property(documents, (document) => void readOsv(document)));
  fc.assert(fc.property(anything, (document) => void readOsv(document)));
});

function affected(name: string, events: readonly object[]) {
  return {
    package: { ecosystem: "NuGet", name },
    ranges: [{ type: "ECOSYSTEM", events }],
  };
}
