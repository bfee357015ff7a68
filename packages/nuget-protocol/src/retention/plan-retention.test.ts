import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareVersionTexts } from "../notation/package-version.ts";
import type { RetentionRules } from "./plan-retention.ts";
import { planRetention } from "./plan-retention.ts";
import type { RetentionPackage } from "./ports.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW = new Date("2026-06-30T12:00:00Z");
const RULES: RetentionRules = { excludedIds: [], action: "Delete" };

/** Versions in the order of their publication, one a day, the last today. `!`: unlisted; `=3`: last
 * downloaded three days ago; `~`: a mirrored version. */
function published(...versions: readonly string[]): RetentionPackage {
  return {
    id: "acme.widgets",
    versions: versions.map((text, index) => {
      const [version = "", days] = text.replace(/[!~]/, "").split("=");
      return {
        version,
        isPublishedPrerelease: version.includes("-") && !text.endsWith("~"),
        listed: !text.endsWith("!"),
        publishedAt: new Date(NOW.getTime() - (versions.length - 1 - index) * DAY_MS),
        ...(days !== undefined && {
          downloadedAt: new Date(NOW.getTime() - Number(days) * DAY_MS),
        }),
      };
    }),
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
      "what neither the number nor the age keeps",
      { versionsMax: 1, ageDaysMax: 1 },
      ["3.0.0-a", "0.1.0-a", "1.0.0-a", "2.0.0-a"],
      ["0.1.0-a too-old"],
    ],
    [
      "none of the newest, whatever their age",
      { versionsMax: 2, ageDaysMax: 1 },
      ["2.0.0-a", "1.0.0-b", "1.0.0-a", "1.0.0", "2.0.0", "3.0.0"],
      ["1.0.0-a too-old"],
    ],
    [
      "nothing that was downloaded lately",
      { ageDaysMax: 1, downloadedWithinMs: 2 * DAY_MS },
      ["1.0.0-a=2", "1.0.0-b=3", "1.0.0-c", "1.0.0", "2.0.0"],
      ["1.0.0-b too-old", "1.0.0-c too-old"],
    ],
    [
      "nothing where only downloads have a rule",
      { downloadedWithinMs: DAY_MS },
      ["1.0.0-a", "1.0.0"],
      [],
    ],
    [
      "all prereleases of a package that has another version",
      { ageDaysMax: 1 },
      ["1.0.0-a", "1.0.0-b", "1.0.0-c~", "2.0.0"],
      ["1.0.0-a too-old", "1.0.0-b too-old"],
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
  const chosen = (ageMs: number) => {
    const prerelease = { version: "1.0.0-a", isPublishedPrerelease: true, listed: true };
    const stable = { ...prerelease, version: "1.0.0", isPublishedPrerelease: false };
    const publishedAt = new Date(NOW.getTime() - ageMs);
    const versions = [prerelease, stable].map((version) => ({ ...version, publishedAt }));
    return planRetention({ id: "a", versions }, { ...RULES, ageDaysMax: 30 }, NOW);
  };
  expect(chosen(30 * DAY_MS)).toEqual([]);
  expect(chosen(30 * DAY_MS + 1)).toHaveLength(1);
  expect(chosen(-DAY_MS)).toEqual([]);
});

test.each([
  ["Delete", ["1.0.0-b", "1.0.0-a"], "1.0.0-b"],
  ["Delete", ["1.0.0!", "1.0.0-b", "1.0.0-a"], undefined],
  ["Delete", ["1.0.0-c~", "1.0.0-b"], undefined],
  ["Unlist", ["1.0.0!", "1.0.0-b", "1.0.0-a"], "1.0.0-b"],
] as const)("%s: of %j, the last version %s stays", (action, versions, last) => {
  const later = new Date(NOW.getTime() + 10 * DAY_MS);
  const plan = planRetention(published(...versions), { ...RULES, action, ageDaysMax: 5 }, later);
  expect(plan.find(({ isLast }) => isLast)?.version).toBe(last);
});

const daysAgo = fc.nat(100).map((days) => new Date(NOW.getTime() - days * DAY_MS));
const someVersions = fc.uniqueArray(
  fc.record({
    version: fc.tuple(fc.nat(3), fc.nat(20)).map(([minor, beta]) => `1.${minor}.0-beta.${beta}`),
    isPublishedPrerelease: fc.boolean(),
    listed: fc.boolean(),
    publishedAt: daysAgo,
  }),
  { selector: (entry) => entry.version, maxLength: 30 },
);
const someRules = fc.record({
  versionsMax: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
  ageDaysMax: fc.option(fc.nat(100), { nil: undefined }),
  excludedIds: fc.constant([]),
  action: fc.constantFrom("Delete" as const, "Unlist" as const),
});

test("keeps the newest, the young and the last version of every package", () => {
  fc.assert(
    fc.property(someVersions, someRules, (versions, rules) => {
      const plan = planRetention({ id: "a", versions }, rules, NOW);
      const going = new Set(plan.filter(({ isLast }) => !isLast).map(({ version }) => version));
      const counted = versions.filter(({ listed }) => listed || rules.action === "Delete");
      const prereleases = counted
        .filter(({ isPublishedPrerelease }) => isPublishedPrerelease)
        .toSorted((entry, other) => compareVersionTexts(other.version, entry.version));
      const isKept = ({ publishedAt }: { readonly publishedAt: Date }, index: number) =>
        (rules.versionsMax === undefined && rules.ageDaysMax === undefined) ||
        index < (rules.versionsMax ?? 0) ||
        NOW.getTime() - publishedAt.getTime() <= (rules.ageDaysMax ?? -1) * DAY_MS;
      const expected = prereleases.filter((entry, index) => !isKept(entry, index));
      if (expected.length === counted.length) expected.shift();
      expect([...going].toSorted()).toEqual(expected.map(({ version }) => version).toSorted());
    }),
  );
});

test("planned again after it was carried out, it chooses nothing more", () => {
  fc.assert(
    fc.property(someVersions, someRules, (versions, rules) => {
      const choose = (entries: typeof versions) =>
        planRetention({ id: "a", versions: entries }, rules, NOW).filter(({ isLast }) => !isLast);
      const gone = new Set(choose(versions).map((choice) => choice.version));
      const left = versions
        .filter((entry) => rules.action === "Unlist" || !gone.has(entry.version))
        .map((entry) => (gone.has(entry.version) ? { ...entry, listed: false } : entry));
      expect(choose(left)).toEqual([]);
    }),
  );
});
