import { expect, test } from "vitest";
import { auditRelease, verdictOfDocuments, verdictOfPnpm } from "./release-audit.ts";
import type { AuditVerdict, Exit } from "./release-audit.ts";

const exit = (fields: Partial<Exit>): Exit => ({ status: 1, stdout: "", stderr: "", ...fields });

const metadata = { vulnerabilities: { high: 1 } };
const ADVISORY = {
  module_name: "demo",
  severity: "high",
  title: "It breaks",
  url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
  patched_versions: ">=1.5.0",
  findings: [{ version: "1.0.0" }, { version: "1.1.0" }],
};
const REFUSED = `Error: ERR_PNPM_AUDIT_BAD_RESPONSE

  × The audit endpoint (at https://registry.npmjs.org/-/npm/v1/security/
  │ advisories/bulk) responded with 405:

`;

test.each<[string, Exit, AuditVerdict]>([
  [
    "nothing is affected",
    exit({ status: 0, stdout: JSON.stringify({ advisories: {}, metadata }) }),
    { verdict: "clean", summary: "pnpm audit: 0 known vulnerabilities" },
  ],
  [
    "a package is affected",
    exit({ stdout: JSON.stringify({ advisories: { 7: ADVISORY }, metadata }) }),
    {
      verdict: "affected",
      summary: "pnpm audit: 1 known vulnerabilities",
      findings: [
        "demo@1.0.0, 1.1.0: high, It breaks; fixed in >=1.5.0 " +
          "(https://github.com/advisories/GHSA-aaaa-bbbb-cccc)",
      ],
    },
  ],
  [
    "the registry refuses",
    exit({ stderr: REFUSED }),
    {
      verdict: "none",
      reason:
        "Error: ERR_PNPM_AUDIT_BAD_RESPONSE The audit endpoint (at https://registry.npmjs.org" +
        "/-/npm/v1/security/advisories/bulk) responded with 405:",
    },
  ],
  [
    "an older pnpm prints its error as JSON",
    exit({ stdout: '{"error":{"code":"ERR_PNPM_AUDIT_BAD_RESPONSE"}}' }),
    { verdict: "none", reason: "no reason was given" },
  ],
  ["pnpm ended without a word", exit({}), { verdict: "none", reason: "no reason was given" }],
])("reads pnpm audit when %s", (_, child, verdict) => {
  expect(verdictOfPnpm(child)).toEqual(verdict);
});

test.each<[Exit, AuditVerdict]>([
  [
    exit({ status: 0, stdout: "3 versions\n" }),
    { verdict: "clean", summary: "OSV documents: 3 versions" },
  ],
  [
    exit({ status: 3, stdout: "3 versions\n", stderr: "a\nb\n" }),
    { verdict: "affected", summary: "OSV documents: 3 versions", findings: ["a", "b"] },
  ],
  [exit({ status: 2, stderr: "Cannot read x.\n" }), { verdict: "none", reason: "Cannot read x." }],
  [exit({ status: 1, stderr: "Error: thrown" }), { verdict: "none", reason: "Error: thrown" }],
])("reads the exit of the lookup in OSV documents: %j", (child, verdict) => {
  expect(verdictOfDocuments(child)).toEqual(verdict);
});

const clean = { verdict: "clean", summary: "clean" } as const;
const affected = { verdict: "affected", summary: "affected", findings: ["demo"] } as const;
const none = { verdict: "none", reason: "status 405" } as const;

test.each<[AuditVerdict, AuditVerdict | undefined, boolean, boolean, RegExp]>([
  [clean, undefined, false, true, /^clean$/],
  [clean, affected, false, true, /^clean$/],
  [affected, clean, false, false, /^affected\ndemo\nUpdate/],
  [affected, undefined, true, true, /^affected\ndemo\nUpdate/],
  [none, clean, false, true, /^AUDIT WITHOUT A VERDICT: .*status 405\nclean$/],
  [none, affected, false, false, /^AUDIT WITHOUT .*\naffected\ndemo\nUpdate/],
  [none, affected, true, true, /^AUDIT WITHOUT .*\naffected\ndemo\nUpdate/],
  [none, undefined, false, false, /^AUDIT WITHOUT .*\nGive OSV .*\nNo release\.$/],
  [none, undefined, true, true, /^AUDIT WITHOUT .*\nGive OSV .*\nThe dry run continues/],
  [none, none, false, false, /^AUDIT WITHOUT .*\nThe OSV documents gave no .*\nNo release\.$/],
  [none, none, true, true, /^AUDIT WITHOUT .*\nThe OSV documents gave no .*\nThe dry run/],
])("registry %j, documents %j, dry run %s: passes %s", (...[registry, documents, ...rest]) => {
  const [isDryRun, passes, lines] = rest;
  const audit = auditRelease({
    registry: () => registry,
    documents: documents && (() => documents),
    isDryRun,
  });
  expect(audit.passes).toBe(passes);
  expect(audit.lines.join("\n")).toMatch(lines);
});
