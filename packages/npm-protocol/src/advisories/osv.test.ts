import * as fc from "fast-check";
import validRange from "semver/ranges/valid.js";
import { expect, test } from "vitest";
import { matchAdvisories } from "./matching.ts";
import { readNpmOsv } from "./osv.ts";

const NINE = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
const read = readNpmOsv;

type Events = readonly Readonly<Record<string, string>>[];

function entry(events: Events, more: object = {}): object {
  const ranges = events.length === 0 ? [] : [{ type: "SEMVER", events }];
  return { package: { ecosystem: "npm", name: "demo" }, ranges, ...more };
}

function documentOf(affected: readonly object[], more: object = {}): object {
  return { id: "GHSA-aaaa-bbbb-cccc", summary: "It breaks", affected, ...more };
}

function affects(versions: string, version: string): boolean {
  const advisory = { severity: 1, title: "", url: "", versions, cwe: [] } as const;
  return matchAdvisories("demo", [advisory], [version]).length === 1;
}

test("reads a document of the GitHub Advisory Database", () => {
  const document = documentOf([entry([{ introduced: "0" }, { fixed: "2.0.0" }])], {
    severity: [{ type: "CVSS_V3", score: NINE }],
    database_specific: { cwe_ids: ["CWE-79", "no cwe", 7], severity: "HIGH" },
    details: "long",
  });
  expect(read(document)).toEqual({
    advisories: [
      {
        name: "demo",
        advisoryId: "GHSA-aaaa-bbbb-cccc",
        severity: 2,
        title: "It breaks",
        url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
        versions: "<2.0.0",
        cwe: ["CWE-79"],
        cvss: { score: 9.8, vectorString: NINE },
      },
    ],
    problems: [],
  });
});

test.each<[Events, object, string, readonly string[], readonly string[]]>([
  [[{ introduced: "0" }], {}, ">=0", ["0.0.1", "9.0.0-rc.1"], []],
  [[{ introduced: "0" }, { fixed: "1.0.0" }], {}, "<1.0.0", ["1.0.0-rc.1"], ["1.0.0"]],
  [
    [{ introduced: "1.0.0" }, { fixed: "1.2.0" }, { introduced: "2.0.0-a" }, { fixed: "2.1.0" }],
    {},
    ">=1.0.0 <1.2.0 || >=2.0.0-a <2.1.0",
    ["1.1.9", "2.0.0-b"],
    ["0.9.0", "1.2.0", "2.1.0"],
  ],
  [
    [{ introduced: "1.0.0" }, { last_affected: "1.2.0" }],
    {},
    ">=1.0.0 <=1.2.0",
    ["1.2.0"],
    ["2.0.0"],
  ],
  [[{ fixed: "2.0.0" }, { introduced: "1.0.0" }], {}, ">=1.0.0 <2.0.0", ["1.5.0"], ["2.0.0"]],
  [[{ introduced: "1.0.0" }, { last_affected: "1.0.0" }], {}, "1.0.0", ["1.0.0"], ["1.0.1"]],
  [[{ introduced: "1" }, { fixed: "1.2" }], {}, ">=1.0.0 <1.2.0", ["1.1.0"], ["1.2.0"]],
  [
    [{ introduced: "0" }],
    { database_specific: { last_known_affected_version_range: "<= 3.1.0" } },
    "<=3.1.0",
    ["3.1.0"],
    ["3.1.1"],
  ],
  [
    [{ introduced: "0" }, { fixed: "2.0.0" }],
    { versions: ["1.0.0", "3.0.0", "4.0.0-x+build"] },
    "<2.0.0 || 3.0.0 || 4.0.0-x",
    ["3.0.0", "4.0.0-x"],
    ["2.0.0"],
  ],
  [[], { versions: ["1.0.0", "v1.0.1"] }, "1.0.0 || 1.0.1", ["1.0.1"], ["1.0.2"]],
])("%j with %j is %s", (...[events, more, versions, affected, others]) => {
  const { advisories, problems } = read(documentOf([entry(events, more)]));
  expect(problems).toEqual([]);
  expect(advisories[0]?.versions).toBe(versions);
  expect(affected.filter((version) => !affects(versions, version))).toEqual([]);
  expect(others.filter((version) => affects(versions, version))).toEqual([]);
});

test("puts the entries of one package together, and keeps packages apart", () => {
  const { advisories } = read(
    documentOf([
      entry([{ introduced: "0" }, { fixed: "1.0.0" }]),
      entry([{ introduced: "2.0.0" }, { fixed: "2.1.0" }], {
        database_specific: { severity: "CRITICAL" },
      }),
      { ...entry([{ introduced: "0" }]), package: { ecosystem: "npm", name: "@acme/Other" } },
      { ...entry([{ introduced: "0" }]), package: { ecosystem: "NuGet", name: "Demo" } },
    ]),
  );
  expect(advisories).toMatchObject([
    { name: "demo", severity: 3, versions: "<1.0.0 || >=2.0.0 <2.1.0" },
    { name: "@acme/Other", severity: 1, versions: ">=0" },
  ]);
});

const all = [entry([{ introduced: "0" }])];

test("links to the page that the document names, when it is one", () => {
  const references = [{ type: "ADVISORY", url: "https://wiki.example/acme-1" }];
  const own = { id: "ACME-1", references };
  expect(read(documentOf(all, own)).advisories[0]?.url).toBe("https://wiki.example/acme-1");
  const bad = { id: "ACME-1", references: [{ type: "ADVISORY", url: "javascript:alert(1)" }] };
  expect(read(documentOf(all, bad)).advisories[0]?.url).toBe(
    "https://osv.dev/vulnerability/ACME-1",
  );
});

test.each([
  [documentOf([entry([{ fixed: "1.0.0" }])]), /demo: a range has no event that introduces/],
  [documentOf([entry([{ introduced: "x" }])]), /demo: .* an invalid version: {"introduced":"x"}/],
  [documentOf([entry([])]), /demo: the entry names no version/],
  [
    documentOf([entry([], { versions: ["latest"] })]),
    /demo: it lists "latest", which is not a version/,
  ],
  [documentOf([{ package: { ecosystem: "npm", name: "../x" } }]), /"..\/x" is not a package name/],
])("%j is a problem, and says of which document", (document, words) => {
  const { advisories, problems } = read(document);
  expect(advisories).toEqual([]);
  expect(problems.join()).toMatch(words);
  expect(problems.join()).toMatch(/^GHSA-aaaa-bbbb-cccc: /);
});

test.each([
  ["withdrawn", documentOf(all, { withdrawn: "2026-01-01T00:00:00Z" })],
  ["about something else", documentOf([{ package: { ecosystem: "PyPI", name: "demo" } }])],
])("reads nothing from a document that is %s", (_, document) => {
  expect(read(document)).toEqual({ advisories: [], problems: [] });
});

test("imports only valid ranges, whatever a document contains", () => {
  const text = fc.oneof(fc.constantFrom("0", "1.0.0", "1.0.0-a", "2", "*"), fc.string());
  const event = fc.dictionary(
    fc.constantFrom("introduced", "fixed", "last_affected", "limit"),
    fc.oneof(text, fc.integer()),
  );
  const range = fc.record({ type: fc.constantFrom("SEMVER", "GIT"), events: fc.array(event) });
  const affected = fc.record({
    package: fc.record({ ecosystem: fc.constant("npm"), name: text }),
    ranges: fc.oneof(fc.array(range), fc.anything()),
    versions: fc.oneof(fc.array(text), fc.anything()),
    database_specific: fc.anything(),
  });
  const document = fc.record({
    id: fc.constant("X-1"),
    affected: fc.array(affected),
    severity: fc.anything(),
    summary: fc.anything(),
    references: fc.anything(),
  });
  fc.assert(
    fc.property(document, (sample) => {
      for (const { versions } of read(sample).advisories) {
        expect(validRange(versions, { loose: true, includePrerelease: true })).not.toBeNull();
      }
    }),
  );
});
