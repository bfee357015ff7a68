import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { judgeVersions } from "./judge.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { WantedVersion } from "./wanted-version.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number) => new Date(NOW.getTime() - ms);

const source = { name: "npmjs", minimumReleaseAgeMs: 7 * DAY_MS };
const young = { publishedAt: ago(DAY_MS), source };
const old = { publishedAt: ago(700 * DAY_MS), source };

function wanted(parts: Partial<WantedVersion> = {}): WantedVersion {
  const base = { protocol: "npm", name: "left-pad", version: "1.2.0", facts: () => ({}) } as const;
  return { ...base, ...old, ...parts };
}

function rule(parts: Partial<PolicyRule> = {}): PolicyRule {
  return {
    id: "r1",
    effect: "deny",
    protocol: "npm",
    pattern: "left-pad",
    versions: "",
    conditions: {},
    reason: "It calls home.",
    createdBy: "ada",
    createdAt: ago(DAY_MS),
    ...parts,
  };
}

const allow = rule({ id: "a1", effect: "allow" });
const fix = { fixes: () => "GHSA-1" };
const scripts = { facts: () => ({ hasInstallScripts: true }) };
const licensed = (license: string) => ({ facts: () => ({ license }) });
const gpl = rule({ conditions: { licenses: ["GPL-*", "AGPL-3.0-only"] } });
const high = rule({ conditions: { severity: 2 } });
const nuget = { protocol: "nuget", name: "Acme.Core", pattern: "acme.*" } as const;

type Case = readonly [what: string, wanted: WantedVersion, rules: PolicyRule[], status: string];
const CASES: readonly Case[] = [
  ["no rule", wanted(), [], "allowed"],
  ["a young version", wanted(young), [], "held"],
  [
    "a young version of a source without an age",
    wanted({ publishedAt: NOW, source: { ...source, minimumReleaseAgeMs: 0 } }),
    [],
    "allowed",
  ],
  [
    "a young version that was published here",
    wanted({ publishedAt: NOW, source: undefined }),
    [],
    "allowed",
  ],
  ["a young version that was fetched before", wanted({ ...young, isKept: true }), [], "allowed"],
  ["a version just old enough", wanted({ publishedAt: ago(7 * DAY_MS) }), [], "allowed"],
  ["a version nearly old enough", wanted({ publishedAt: ago(7 * DAY_MS - 1) }), [], "held"],
  ["an exception for a young version", wanted(young), [allow], "allowed"],
  ["a young fix of an advisory", wanted({ ...young, ...fix }), [], "allowed"],
  ["a denied fix of an advisory", wanted({ ...young, ...fix }), [rule()], "denied"],
  ["a denied version", wanted(), [rule()], "denied"],
  ["a denied version that was fetched before", wanted({ isKept: true }), [rule()], "denied"],
  ["a young and denied version", wanted(young), [rule()], "denied"],
  ["an exception for a denied version", wanted(), [rule(), allow], "allowed"],
  [
    "an exception for another version",
    wanted(),
    [rule(), { ...allow, versions: "1.1.0" }],
    "denied",
  ],
  ["an expired rule", wanted(), [rule({ expiresAt: NOW })], "allowed"],
  [
    "a rule that has not expired",
    wanted(),
    [rule({ expiresAt: new Date(NOW.getTime() + 1) })],
    "denied",
  ],
  ["an expired exception", wanted(young), [{ ...allow, expiresAt: NOW }], "held"],
  ["another protocol", wanted(), [rule({ protocol: "nuget" })], "allowed"],
  ["another name", wanted(), [rule({ pattern: "left-pads" })], "allowed"],
  ["a scope", wanted({ name: "@acme/one" }), [rule({ pattern: "@acme/*" })], "denied"],
  ["within a range", wanted(), [rule({ versions: ">=1.1.0 <1.3.0" })], "denied"],
  ["outside of a range", wanted(), [rule({ versions: "^2.0.0" })], "allowed"],
  [
    "the prerelease in a range",
    wanted({ version: "1.2.0-a" }),
    [rule({ versions: "<1.2.0" })],
    "denied",
  ],
  [
    "an exact NuGet version",
    wanted({ ...nuget, version: "1.2.0" }),
    [rule({ ...nuget, versions: "1.2" })],
    "denied",
  ],
  [
    "not newer NuGet versions",
    wanted({ ...nuget, version: "1.3.0" }),
    [rule({ ...nuget, versions: "1.2" })],
    "allowed",
  ],
  [
    "a NuGet range",
    wanted({ ...nuget, version: "1.2.0" }),
    [rule({ ...nuget, versions: "[1.0,1.2]" })],
    "denied",
  ],
  [
    "an image tag",
    wanted({ protocol: "oci", name: "library/x", version: "3.1" }),
    [rule({ protocol: "oci", pattern: "library/**", versions: "3.1" })],
    "denied",
  ],
  [
    "scripts at installation",
    wanted(scripts),
    [rule({ conditions: { hasInstallScripts: true } })],
    "denied",
  ],
  [
    "no scripts at installation",
    wanted(),
    [rule({ conditions: { hasInstallScripts: true } })],
    "allowed",
  ],
  ["a denied licence", wanted(licensed("gpl-3.0-only")), [gpl], "denied"],
  ["a choice of licences", wanted(licensed("(MIT OR GPL-3.0-only)")), [gpl], "allowed"],
  [
    "a choice of denied licences",
    wanted(licensed("(AGPL-3.0-only OR GPL-2.0) AND MIT")),
    [gpl],
    "denied",
  ],
  [
    "a licence with an exception text",
    wanted(licensed("GPL-2.0-only WITH Classpath-exception-2.0")),
    [gpl],
    "denied",
  ],
  ["an allowed licence", wanted(licensed("MIT AND Zlib")), [gpl], "allowed"],
  ["an unknown licence", wanted(), [gpl], "allowed"],
  ["an advisory of the severity", wanted({ facts: () => ({ severity: 2 }) }), [high], "denied"],
  ["a milder advisory", wanted({ facts: () => ({ severity: 1 }) }), [high], "allowed"],
  ["no advisory", wanted(), [high], "allowed"],
  [
    "both conditions, one of them met",
    wanted(scripts),
    [rule({ conditions: { hasInstallScripts: true, severity: 0 } })],
    "allowed",
  ],
];

test.each(CASES)("%s", (_, version, rules, status) => {
  expect(decide(version, rules, NOW).status).toBe(status);
});

test("a refusal states what, why, until when and whom to ask", () => {
  expect(decide(wanted(young), [], NOW)).toEqual({
    status: "held",
    rule: "MinimumReleaseAge",
    until: new Date("2026-03-16T12:00:00Z"),
    text:
      "left-pad 1.2.0 is held back until 2026-03-16T12:00:00Z: it was published at " +
      "2026-03-09T12:00:00Z, and this registry waits 7 days before it takes versions from the " +
      'package source "npmjs". Use an older version, or ask the administrators of this registry ' +
      "for an exception.",
  });
  const ending = rule({ reason: "It calls home", expiresAt: new Date("2026-04-01T00:00:00Z") });
  expect(decide(wanted(), [ending], NOW)).toMatchObject({
    rule: "r1",
    text:
      "left-pad 1.2.0 is denied on this registry until 2026-04-01T00:00:00Z: It calls home. Use " +
      "another version, or ask the administrators of this registry.",
  });
  const unknown = decide(wanted({ ...young, isDateUnknown: true }), [], NOW);
  expect(unknown).toMatchObject({ text: expect.stringContaining("it was first seen here at") });
});

test("a judgement changes when the next version is old enough or a rule ends", () => {
  const versions = [1, 2, 3].map((days) => ({
    version: `1.0.${days}`,
    publishedAt: ago(days * DAY_MS),
    facts: () => ({}),
  }));
  const judged = { protocol: "npm", name: "left-pad", source } as const;
  const { refused, changesAt } = judgeVersions(judged, versions, { rules: [], now: NOW });
  expect([...refused.keys()]).toEqual(["1.0.1", "1.0.2", "1.0.3"]);
  expect(changesAt).toEqual(new Date("2026-03-14T12:00:00Z"));
  const rules = [{ ...allow, versions: "1.0.2", expiresAt: new Date(NOW.getTime() + HOUR_MS) }];
  const excepted = judgeVersions(judged, versions, { rules, now: NOW });
  expect([...excepted.refused.keys()]).toEqual(["1.0.1", "1.0.3"]);
  expect(excepted.changesAt).toEqual(new Date(NOW.getTime() + HOUR_MS));
});
