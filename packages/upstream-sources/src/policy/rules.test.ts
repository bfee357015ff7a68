import { expect, test } from "vitest";
import { createRefreshed } from "../refreshed.ts";
import { createRule } from "./create-rule.ts";
import type { RulePart, RuleTexts } from "./create-rule.ts";
import { isFastLane } from "./fast-lane.ts";
import { variantOfJudgement } from "./judge.ts";
import { requiresLicense } from "./license-expression.ts";
import { nameRules } from "./name-rules.ts";
import type { PolicyRule } from "./policy-rule.ts";
import { NO_RULES } from "./rule-list.ts";
import { parseVersionSpan } from "./version-span.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const about = { id: "r1", createdBy: "ada", now: NOW };
const texts: RuleTexts = {
  effect: "deny",
  protocol: "npm",
  pattern: "left-pad",
  reason: "It calls home.",
};

test.each<[Partial<RuleTexts>, RulePart, string]>([
  [{ protocol: "pypi" }, "protocol", "must be one of: npm, nuget, oci"],
  [{ protocol: "" }, "protocol", "must be one of"],
  [{ pattern: "" }, "pattern", "must be a name or a pattern"],
  [{ pattern: "a b" }, "pattern", "must be a name or a pattern"],
  [{ versions: "newest" }, "versions", '"newest" is not a version or a range of npm'],
  [{ protocol: "nuget", versions: "^1" }, "versions", "not a version or a range of nuget"],
  [{ protocol: "oci", pattern: "a/*", versions: "1 2" }, "versions", "of oci"],
  [
    { protocol: "nuget", hasInstallScripts: true },
    "installScripts",
    "is for npm; packages of nuget have no such scripts",
  ],
  [{ protocol: "oci", pattern: "a/*", licenses: ["MIT"] }, "protocol", "oci has no licenses"],
  [{ protocol: "oci", pattern: "a/*", severity: "high" }, "protocol", "oci has no licenses"],
  [{ severity: "dire" }, "severity", "must be one of: low, moderate, high, critical"],
  [{ reason: "  " }, "reason", "must have 1 to 500 characters"],
  [{ reason: "x".repeat(501) }, "reason", "must have 1 to 500 characters"],
  [{ reason: "a\u0000b" }, "reason", "must not have control characters"],
  [{ reason: "a\u001b[31m" }, "reason", "must not have control characters"],
  [{ expires: "tomorrow" }, "expires", "must be a date in the future"],
  [{ expires: "2026-03-01" }, "expires", "must be a date in the future"],
  [{ expires: "2026-02-28T23:59:59Z" }, "expires", "must be a date in the future"],
  [{ expires: "2026-13-01" }, "expires", "must be a date in the future"],
  [{ expires: "2027-01-01T00:00:00+02:00" }, "expires", "must be a date in the future"],
])("refuses a rule with %j for its %s", (parts, part, words) => {
  expect(createRule({ ...texts, ...parts }, about)).toEqual({
    status: "refused",
    part,
    words: expect.stringContaining(words),
  });
});

test.each<[Partial<RuleTexts>, Partial<PolicyRule>]>([
  [{}, { versions: "", conditions: {} }],
  [{ versions: "<2 || 4.x" }, { versions: "<2 || 4.x" }],
  [{ reason: " two\nlines " }, { reason: "two\nlines" }],
  [
    { licenses: ["GPL-*, AGPL-3.0-only", "", "MIT"] },
    {
      conditions: { licenses: ["GPL-*", "AGPL-3.0-only", "MIT"] },
    },
  ],
  [{ licenses: [" , "] }, { conditions: {} }],
  [
    { hasInstallScripts: true, severity: "critical" },
    {
      conditions: { hasInstallScripts: true, severity: 3 },
    },
  ],
  [{ severity: "low" }, { conditions: { severity: 0 } }],
  [{ expires: "2026-03-02" }, { expiresAt: new Date("2026-03-02T00:00:00Z") }],
  [{ expires: "2026-03-01T00:00:01Z" }, { expiresAt: new Date("2026-03-01T00:00:01Z") }],
  [{ protocol: "oci", pattern: "team/**", versions: `sha256:${"a".repeat(64)}` }, {}],
])("creates a rule with %j", (parts, expected) => {
  const outcome = createRule({ ...texts, ...parts }, about);
  expect(outcome).toMatchObject({ status: "created", rule: { id: "r1", ...expected } });
});

test("a rule has at most a hundred licences", () => {
  const licenses = Array.from({ length: 150 }, (_, index) => `L-${index}`);
  const outcome = createRule({ ...texts, licenses }, about);
  expect(outcome.status === "created" && outcome.rule.conditions.licenses).toHaveLength(100);
});

test.each([
  ["npm", "", "1.0.0", true],
  ["npm", "1.2.3", "1.2.3", true],
  ["npm", "1.2.3", "1.2.4", false],
  ["npm", "^1.2.0", "1.9.0", true],
  ["npm", "<2 || 4.x", "4.1.0", true],
  ["npm", "<2 || 4.x", "3.0.0", false],
  ["nuget", "1.2", "1.2.0", true],
  ["nuget", "1.2.0-RC", "1.2.0-rc", true],
  ["nuget", "1.2", "1.3.0", false],
  ["nuget", "[1.0,2.0)", "2.0.0", false],
  ["nuget", "(1.0,2.0]", "2.0.0", true],
  ["nuget", "[1.0,2.0)", "not a version", false],
  ["oci", "latest", "latest", true],
  ["oci", "latest", "Latest", false],
] as const)("%s: %j includes %s: %s", (protocol, span, version, expected) => {
  expect(parseVersionSpan(protocol, span)?.includes(version)).toBe(expected);
});

test.each([
  ["npm", "newest!"],
  ["nuget", "1.x.y.z.w"],
  ["oci", "a/b"],
  ["oci", "x".repeat(257)],
] as const)("%s: %j is not a version", (protocol, span) => {
  expect(parseVersionSpan(protocol, span)).toBeUndefined();
});

test.each([
  ["GPL-3.0-only", true],
  ["gpl-3.0-ONLY", true],
  ["MIT", false],
  ["MIT OR GPL-3.0-only", false],
  ["GPL-2.0 or GPL-3.0-only", true],
  ["MIT AND GPL-3.0-only", true],
  ["(MIT AND (Zlib OR GPL-2.0)) OR GPL-3.0-only", false],
  ["(MIT AND GPL-2.0) OR GPL-3.0-only", true],
  ["GPL-2.0 WITH Classpath-exception-2.0", true],
  ["MIT AND (", false],
  ["((((((", false],
  [")", false],
  ["", false],
  ["OR", false],
  [`${"(".repeat(2_000)}GPL-2.0`, false],
])("the licence %j leaves no choice but GPL: %s", (expression, expected) => {
  expect(requiresLicense(expression, ["GPL-*"])).toBe(expected);
});

test("a variant changes with the refused versions and their texts", () => {
  const variant = (versions: Readonly<Record<string, string>>) => {
    const refused = Object.entries(versions).map(
      ([version, text]) => [version, { status: "denied", rule: "r1", text }] as const,
    );
    return variantOfJudgement({ refused: new Map(refused) });
  };
  expect(variant({})).toBeUndefined();
  const known = variant({ "1.0.0": "a" });
  expect(known).toMatch(/^[\w-]{22}$/);
  expect(variant({ "1.0.0": "a" })).toBe(known);
  expect(new Set([known, variant({ "1.0.0": "b" }), variant({ "1.0.1": "a" })]).size).toBe(3);
});

test.each([
  [undefined, 1, false],
  [[], 1, false],
  [["trusted"], 0, false],
  [["trusted"], 1, true],
])("advisories of %j admit versions of a source with the age %i: %s", (sources, age, expected) => {
  const lane = sources && { sources };
  expect(isFastLane(lane, { settings: { minimumReleaseAgeMs: age } })).toBe(expected);
  expect(isFastLane(lane, undefined)).toBe(false);
});

test("needs a judgement for an age of the source, or for a rule that denies", () => {
  const { policy, hasAdvisoryRules } = nameRules("npm", {
    rules: NO_RULES,
    firstSeen: { note: async () => new Map() },
    now: () => NOW,
  });
  const rule = (parts: Partial<PolicyRule>): PolicyRule => ({
    ...texts,
    id: "r1",
    protocol: "npm",
    versions: "",
    conditions: {},
    createdBy: "ada",
    createdAt: NOW,
    ...parts,
  });
  const set = (...rules: readonly PolicyRule[]) => ({ revision: "1", rules });
  const deny = set(rule({}));
  const allow = set(rule({ effect: "allow" }));
  const over = set(rule({ expiresAt: NOW }));
  const bad = set(rule({ conditions: { severity: 1 } }));
  expect(
    [deny, allow, over, bad].map((one) => policy.mayRefuse(one, "left-pad", undefined)),
  ).toEqual([true, false, false, true]);
  expect(policy.mayDeny(deny, "right-pad")).toBe(false);
  expect([deny, bad].map((one) => hasAdvisoryRules(one, "left-pad"))).toEqual([false, true]);
  expect(policy.dependsOnAdvisories(bad, "left-pad", undefined)).toBe(true);
});

test("a value is read again after two seconds, and stays while that fails", async () => {
  let ms = 0;
  let reads = 0;
  let isFailing = false;
  const value = createRefreshed(
    async () => {
      if (isFailing) throw new Error("no database");
      reads += 1;
      return reads;
    },
    () => new Date(ms),
  );
  expect(value.known()).toBeUndefined();
  expect(await Promise.all([value.current(), value.current()])).toEqual([1, 1]);
  ms = 1_999;
  expect([value.known(), await value.current()]).toEqual([1, 1]);
  ms = 2_000;
  expect([value.known(), await value.current()]).toEqual([undefined, 2]);
  isFailing = true;
  ms = 10_000;
  expect(await value.current()).toBe(2);
  isFailing = false;
  expect(await value.current()).toBe(3);
  value.refresh();
  expect([value.known(), await value.current()]).toEqual([undefined, 4]);
});

test("a change during a read makes the next call read again", async () => {
  let stored = "old";
  const gate = Promise.withResolvers<void>();
  let waits = true;
  const value = createRefreshed(
    async () => {
      const found = stored;
      if (waits) await gate.promise;
      return found;
    },
    () => new Date(0),
  );
  const early = value.current();
  stored = "new";
  value.refresh();
  waits = false;
  gate.resolve();
  expect(await early).toBe("old");
  expect(await value.current()).toBe("new");
});

test("the first read that fails is an error", async () => {
  const value = createRefreshed<number>(
    () => Promise.reject(new Error("no database")),
    () => NOW,
  );
  await expect(value.current()).rejects.toThrow("no database");
  await expect(value.current()).rejects.toThrow("no database");
});
