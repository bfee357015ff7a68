import * as fc from "fast-check";
import { expect, test } from "vitest";
import { demo } from "../testing/versions.test.support.ts";
import { readOsv } from "./osv.ts";

const HIGHEST = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
const FOUR = "CVSS:4.0/AV:N/AC:L/AT:N/PR:L/UI:N/VC:L/VI:L/VA:N/SC:N/SI:N/SA:N";
const LOWEST = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:L";

const GITHUB = {
  schema_version: "1.4.0",
  id: "GHSA-5crp-9r3c-p9vr",
  modified: "2026-01-02T03:04:05Z",
  published: "2025-12-01T00:00:00Z",
  aliases: ["CVE-2025-0001"],
  summary: "Deep nesting exhausts the stack",
  severity: [{ type: "CVSS_V3", score: LOWEST }],
  affected: [
    affected("Acme.Json", [{ introduced: "0" }, { fixed: "13.0.1" }]),
    affected("Acme.Json", [{ introduced: "14.0.0" }, { fixed: "14.2.0" }]),
    { ...affected("acme-json", [{ introduced: "0" }]), package: { ecosystem: "npm", name: "x" } },
  ],
  references: [
    { type: "WEB", url: "https://acme.example/blog" },
    { type: "ADVISORY", url: "https://nvd.example/CVE-2025-0001" },
  ],
  database_specific: { cwe_ids: ["CWE-674", "no cwe", 7], severity: "HIGH", github_reviewed: true },
};

const read = (document: unknown) => readOsv(document, demo);
const readFirst = (more: object) => read({ ...GITHUB, ...more }).advisories[0];

test("reads all that a document states about a package, with the ranges of all its entries", () => {
  expect(read(GITHUB)).toEqual({
    advisories: [
      {
        name: "acme.json",
        severity: 2,
        ranges: ["(, 13.0.1)", "[14.0.0, 14.2.0)"],
        id: "GHSA-5crp-9r3c-p9vr",
        title: "Deep nesting exhausts the stack",
        url: "https://github.com/advisories/GHSA-5crp-9r3c-p9vr",
        cwe: ["CWE-674"],
        cvss: { score: 3.7, vectorString: LOWEST },
      },
    ],
    problems: [],
  });
});

test.each([
  ["withdrawn", { withdrawn: "2026-02-01T00:00:00Z" }],
  ["about another ecosystem", { affected: [GITHUB.affected[2]] }],
  ["about no package", { affected: undefined }],
])("reads nothing from a document that is %s", (_, more) => {
  expect(read({ ...GITHUB, ...more })).toEqual({ advisories: [], problems: [] });
});

test.each([
  ["LOW", { database_specific: { severity: "LOW" } }, 0],
  ["moderate", { database_specific: { severity: "MODERATE" } }, 1],
  ["medium, as other databases write it", { database_specific: { severity: "Medium" } }, 1],
  ["critical", { database_specific: { severity: "CRITICAL" } }, 3],
  ["by its score, when the name is unknown", { database_specific: { severity: "BAD" } }, 0],
  ["by its score, without a name", { database_specific: 7, severity: [{ score: HIGHEST }] }, 3],
  ["by the score of version 4", { database_specific: 7, severity: [{ score: FOUR }] }, 1],
  [
    "by its name before its score",
    { database_specific: { severity: "low" }, severity: [{ score: HIGHEST }] },
    0,
  ],
  ["moderate, without any statement", { database_specific: undefined, severity: undefined }, 1],
  [
    "moderate, when the statements make no sense",
    { database_specific: { severity: "constructor" }, severity: [{ score: 9 }, "x"] },
    1,
  ],
  ["critical, of malware", { id: "MAL-2026-1", database_specific: 7, severity: undefined }, 3],
])("the severity is %s", (_, fields, severity) => {
  expect(readFirst(fields)).toMatchObject({ severity });
});

test("the severity of a package counts before that of the document", () => {
  const own = { ...GITHUB.affected[0], database_specific: { severity: "CRITICAL" } };
  expect(readFirst({ affected: [own] })).toMatchObject({ severity: 3 });
  // The entries of one package have one severity, the highest.
  expect(readFirst({ affected: [...GITHUB.affected, own] })).toMatchObject({ severity: 3 });
});

test("shows a score only for a vector of version 3", () => {
  expect(readFirst({ severity: [{ score: HIGHEST }] })).toMatchObject({ cvss: { score: 9.8 } });
  expect(readFirst({ severity: [{ score: FOUR }] })).not.toHaveProperty("cvss");
});

test.each([
  [{ summary: "", details: "First line\nand more" }, "First line"],
  [{ summary: "Red \u001b[31m \u0000 \ud800 end" }, "Red  [31m   \ufffd end"],
  [{ summary: undefined }, "GHSA-5crp-9r3c-p9vr"],
])("the title of %j is %j", (more, title) => {
  expect(readFirst(more)).toMatchObject({ title });
});

test.each([
  ["GHSA-5CRP-9R3C-P9VR", "https://github.com/advisories/GHSA-5crp-9r3c-p9vr"],
  ["ACME-2026-1", "https://nvd.example/CVE-2025-0001"],
])("the page about %s is %s", (id, url) => {
  expect(readFirst({ id })).toMatchObject({ url });
});

test("the page is on osv.dev when the document names none", () => {
  const references = [
    { type: "ADVISORY", url: "javascript:alert(1)" },
    { type: "ADVISORY", url: 7 },
    null,
  ];
  const url = "https://osv.dev/vulnerability/ACME%3A1";
  expect(readFirst({ id: "ACME:1", references })).toMatchObject({ url });
});

test("the URL of a page is in ASCII, so that no direction mark reaches a terminal", () => {
  const references = [{ type: "ADVISORY", url: "https://nvd.example/\u202ecve" }];
  const url = "https://nvd.example/%E2%80%AEcve";
  expect(readFirst({ id: "ACME-1", references })).toMatchObject({ url });
});

test("names what it skips, and reads the rest", () => {
  const broken = [
    affected("not an id!", [{ introduced: "0" }]),
    affected("Acme.Json", [{ introduced: "one" }]),
    affected("Acme.Xml", []),
    affected("Acme.Yaml", [{ introduced: "0" }, { fixed: "2.0.0" }]),
    { package: { ecosystem: "DEMO", name: "Acme.Nothing" } },
  ];
  const { advisories, problems } = read({ ...GITHUB, affected: broken });
  expect(advisories).toMatchObject([{ name: "acme.yaml" }]);
  expect(problems).toEqual([
    'GHSA-5crp-9r3c-p9vr: "not an id!" is not a package name',
    "GHSA-5crp-9r3c-p9vr: Acme.Json: a range has an event with an invalid version: " +
      '{"introduced":"one"}',
    "GHSA-5crp-9r3c-p9vr: Acme.Xml: a range has no event that introduces the vulnerability",
    "GHSA-5crp-9r3c-p9vr: Acme.Nothing: the entry names no version",
  ]);
});

test.each([[[]], [null], ["GHSA"], [{ id: 7 }], [{ id: "../../etc/passwd" }], [{ id: "" }]])(
  "%j is not an OSV document",
  (document) => {
    expect(read(document)).toEqual({ advisories: [], problems: ["a document has no OSV id"] });
  },
);

test("refuses a document that names too many packages", () => {
  const many = Array.from({ length: 10_001 }, () => GITHUB.affected[0]);
  expect(read({ ...GITHUB, affected: many }).problems.join()).toMatch(/more than 10000 packages/);
});

test("never throws, whatever a document contains", () => {
  const keys = ["id", "affected", "package", "ranges", "events", "versions", "severity"];
  const anything = fc.jsonValue({ maxDepth: 4 });
  const documents = fc.dictionary(fc.constantFrom(...keys), anything).map((fields) => ({
    ...GITHUB,
    ...fields,
    affected: [{ ...GITHUB.affected[0], ...fields }, fields["affected"]],
  }));
  fc.assert(fc.property(documents, (document) => void read(document)));
  fc.assert(fc.property(anything, (document) => void read(document)));
});

function affected(name: string, events: readonly object[]) {
  return {
    package: { ecosystem: "Demo", name },
    ranges: [{ type: "ECOSYSTEM", events }],
  };
}
