import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { auditLockFile, findingLine } from "./audit-lock-file.ts";

const folder = mkdtempSync(join(tmpdir(), "sealhouse-audit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOCK_FILE = `lockfileVersion: '9.0'
packages:
  '@acme/a@1.2.0':
    resolution: {integrity: sha512-AA==}
  demo@1.0.0:
    resolution: {integrity: sha512-AA==}
  demo@2.0.5:
    resolution: {integrity: sha512-AA==}
`;

type Events = readonly Readonly<Record<string, string>>[];
type Document = {
  readonly id?: string;
  readonly name?: string;
  readonly events?: Events;
  readonly severity?: string;
  readonly ecosystem?: string;
  readonly withdrawn?: string;
};

function osv({ id = "GHSA-aaaa-bbbb-cccc", withdrawn, ...affected }: Document) {
  const { name = "demo", events = [], ecosystem = "npm", severity = "HIGH" } = affected;
  return {
    id,
    summary: "It breaks",
    ...(withdrawn !== undefined && { withdrawn }),
    affected: [{ package: { ecosystem, name }, ranges: [{ type: "SEMVER", events }] }],
    database_specific: { severity },
  };
}

const other = osv({ id: "GHSA-xxxx-yyyy-zzzz", name: "unrelated", events: [{ introduced: "0" }] });
let folders = 0;

/** A folder that has these documents, each in a separate folder. */
function documentsOf(...documents: readonly object[]): string {
  const root = join(folder, String((folders += 1)));
  for (const [index, document] of documents.entries()) {
    mkdirSync(join(root, String(index)), { recursive: true });
    writeFileSync(join(root, String(index), "document.json"), JSON.stringify(document));
  }
  return root;
}

test.each<[string, Document, readonly (readonly (string | undefined)[])[]]>([
  [
    "a range with a fix",
    { events: [{ introduced: "0" }, { fixed: "1.5.0" }] },
    [["demo", "1.0.0", "high", "1.5.0"]],
  ],
  [
    "the fix of the range that has the version",
    {
      events: [
        { introduced: "0" },
        { fixed: "1.5.0" },
        { introduced: "2.0.0" },
        { fixed: "2.1.0" },
      ],
      severity: "CRITICAL",
    },
    [
      ["demo", "1.0.0", "critical", "1.5.0"],
      ["demo", "2.0.5", "critical", "2.1.0"],
    ],
  ],
  [
    "no fix",
    { events: [{ introduced: "2.0.0" }, { last_affected: "2.0.9" }], severity: "LOW" },
    [["demo", "2.0.5", "low", undefined]],
  ],
  [
    "a scoped package",
    { name: "@acme/a", events: [{ introduced: "1.2.0" }, { fixed: "1.2.1" }] },
    [["@acme/a", "1.2.0", "high", "1.2.1"]],
  ],
  ["a range that ends before", { events: [{ introduced: "0" }, { fixed: "1.0.0" }] }, []],
  ["another ecosystem", { events: [{ introduced: "0" }], ecosystem: "PyPI" }, []],
  ["a withdrawn advisory", { events: [{ introduced: "0" }], withdrawn: "2026-01-01" }, []],
])("finds by %s", async (_, document, expected) => {
  const audit = await auditLockFile(LOCK_FILE, documentsOf(osv(document), other));
  const { packages, findings } = audit;
  expect(packages).toBe(3);
  expect(findings.map((f) => [f.name, f.version, f.severity, f.fixed])).toEqual(expected);
});

test("lists the most severe first, with the fixed version", async () => {
  const events = [{ introduced: "2.0.0" }, { fixed: "2.1.0" }];
  const documents = documentsOf(
    osv({ events, severity: "LOW" }),
    osv({ id: "GHSA-dddd-eeee-ffff", events, severity: "CRITICAL" }),
  );
  const { findings } = await auditLockFile(LOCK_FILE, documents);
  expect(findings.map(findingLine)).toEqual([
    "demo@2.0.5: critical, GHSA-dddd-eeee-ffff: It breaks; fixed in 2.1.0 " +
      "(https://github.com/advisories/GHSA-dddd-eeee-ffff)",
    "demo@2.0.5: low, GHSA-aaaa-bbbb-cccc: It breaks; fixed in 2.1.0 " +
      "(https://github.com/advisories/GHSA-aaaa-bbbb-cccc)",
  ]);
});

test("counts statements that it cannot read", async () => {
  const { skipped } = await auditLockFile(LOCK_FILE, documentsOf(osv({ name: "../x" }), other));
  expect(skipped).toMatchObject({ count: 1, reasons: [expect.stringMatching(/not a package/)] });
});

test.each([
  ["no document", () => documentsOf({}), /no advisory about/],
  ["a missing folder", () => join(folder, "missing"), /Cannot read/],
])("has no verdict with %s", async (_, location, words) => {
  await expect(auditLockFile(LOCK_FILE, location())).rejects.toThrow(words);
});

test.each<[string, () => string, number]>([
  ["no package is affected", () => documentsOf(other), 0],
  ["one is affected", () => documentsOf(osv({ events: [{ introduced: "0" }] })), 3],
  ["the documents are missing", () => join(folder, "missing"), 2],
])("as a program, tells by its exit code that %s", (_, location, status) => {
  writeFileSync(join(folder, "pnpm-lock.yaml"), LOCK_FILE);
  const program = join(import.meta.dirname, "audit-lock-file.ts");
  const words = ["--conditions=@sealhouse/source", program, location(), "pnpm-lock.yaml"];
  const child = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  expect([child.status, child.stderr]).toEqual([
    status,
    status === 0 ? "" : expect.stringMatching(/demo@1\.0\.0: high|Cannot read/),
  ]);
});
