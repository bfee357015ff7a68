import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RetentionRules } from "./plan-retention.ts";
import { planRetention } from "./plan-retention.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW = new Date("2026-06-30T12:00:00Z");
const RULES: RetentionRules = { excludedIds: [], action: "Delete" };

/** Versions in the order of their publication, one a day, the last today. */
function published(...versions: readonly string[]) {
  return {
    id: "acme.widgets",
    versions: versions.map((version, index) => ({
      version: version.replace("!", ""),
      listed: !version.endsWith("!"),
      publishedAt: new Date(NOW.getTime() - (versions.length - 1 - index) * DAY_MS),
    })),
  };
}

const PLANS: readonly (readonly [string, Partial<RetentionRules>, readonly string[], string[]])[] =
  [
    ["nothing without a rule", {}, ["1.0.0-a", "1.0.0-b"], []],
    ["nothing when there are few", { versionsMax: 2 }, ["1.0.0-a", "1.0.0-b"], []],
    [
      "all but the newest by version, whenever they came",
      { versionsMax: 2 },
      ["2.0.0-beta.10", "2.0.0-beta.9", "1.0.0-x", "2.0.0-beta.2"],
      ["1.0.0-x too-many", "2.0.0-beta.2 too-many"],
    ],
    [
      "what is older than so many days",
      { ageDaysMax: 2 },
      ["4.0.0-a", "3.0.0-a", "2.0.0-a", "1.0.0-a"],
      ["4.0.0-a too-old"],
    ],
    [
      "what either rule chooses, once",
      { versionsMax: 1, ageDaysMax: 0 },
      ["3.0.0-a", "1.0.0-a", "2.0.0-a"],
      ["1.0.0-a too-many", "2.0.0-a too-many", "3.0.0-a too-old"],
    ],
    ["unlisted versions, too", { versionsMax: 1 }, ["1.0.0-a!", "1.0.0-b"], ["1.0.0-a too-many"]],
    [
      "listed versions only, where unlisting is the action",
      { versionsMax: 1, action: "Unlist" },
      ["1.0.0-a!", "1.0.0-b", "1.0.0-c", "1.0.0-d!"],
      ["1.0.0-b too-many"],
    ],
    [
      "nothing of an excluded id",
      { versionsMax: 1, excludedIds: ["ACME.Widgets"] },
      ["1.0.0-a", "1.0.0-b"],
      [],
    ],
    [
      "nothing of an excluded prefix",
      { versionsMax: 1, excludedIds: ["Acme.*"] },
      ["1.0.0-a", "1.0.0-b"],
      [],
    ],
    [
      "nothing when all is excluded",
      { versionsMax: 1, excludedIds: ["*"] },
      ["1.0.0-a", "1.0.0-b"],
      [],
    ],
    [
      "what an exclusion of something else does not save",
      { versionsMax: 1, excludedIds: ["Acme", "Acme.Widgets.*", "cme.widgets"] },
      ["1.0.0-a", "1.0.0-b"],
      ["1.0.0-a too-many"],
    ],
  ];

test.each(PLANS)("chooses %s", (_, rules, versions, expected) => {
  const plan = planRetention(published(...versions), { ...RULES, ...rules }, NOW);
  expect(plan.map(({ version, reason }) => `${version} ${reason}`)).toEqual(expected);
});

test("keeps a version to the very end of its last day", () => {
  const packageOfAge = (ageMs: number) => ({
    id: "a",
    versions: [{ version: "1.0.0-a", listed: true, publishedAt: new Date(NOW.getTime() - ageMs) }],
  });
  const chosen = (ageMs: number) =>
    planRetention(packageOfAge(ageMs), { ...RULES, ageDaysMax: 30 }, NOW);
  expect(chosen(30 * DAY_MS)).toEqual([]);
  expect(chosen(30 * DAY_MS + 1)).toHaveLength(1);
  expect(chosen(-DAY_MS)).toEqual([]);
});

test("planned again after it was carried out, it chooses nothing more", () => {
  const version = fc.record({
    version: fc.tuple(fc.nat(3), fc.nat(20)).map(([minor, beta]) => `1.${minor}.0-beta.${beta}`),
    listed: fc.boolean(),
    publishedAt: fc.nat(100).map((days) => new Date(NOW.getTime() - days * DAY_MS)),
  });
  const versions = fc.uniqueArray(version, { selector: (entry) => entry.version, maxLength: 30 });
  const rules = fc.record({
    versionsMax: fc.option(fc.nat(10), { nil: undefined }),
    ageDaysMax: fc.option(fc.nat(100), { nil: undefined }),
    excludedIds: fc.constant([]),
    action: fc.constantFrom("Delete" as const, "Unlist" as const),
  });
  fc.assert(
    fc.property(versions, rules, (someVersions, someRules) => {
      const gone = new Set(
        planRetention({ id: "a", versions: someVersions }, someRules, NOW).map(
          (choice) => choice.version,
        ),
      );
      const left = someVersions
        .filter((entry) => someRules.action === "Unlist" || !gone.has(entry.version))
        .map((entry) => (gone.has(entry.version) ? { ...entry, listed: false } : entry));
      expect(planRetention({ id: "a", versions: left }, someRules, NOW)).toEqual([]);
      const shown = left.filter((entry) => entry.listed || someRules.action === "Delete");
      expect(shown.length).toBeLessThanOrEqual(someRules.versionsMax ?? 30);
    }),
  );
});
