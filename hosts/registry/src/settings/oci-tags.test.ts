import { expect, test } from "vitest";
import { hasKeepRule, parseOciTags } from "@sealhouse/oci-distribution/settings";
import { ociNamePatterns } from "./name-patterns.ts";
import { parseFeed } from "./feed.ts";
import { openSettings, readEntries } from "./settings.ts";
import { SETTINGS } from "./table.ts";
import { unknownKeys } from "@sealhouse/settings";

const FIRST = "Feed__Oci__TagRules__0";
const DAY_MS = 24 * 60 * 60_000;

function parsed(env: Record<string, string>) {
  const { entries } = readEntries({ env, args: [], folders: [], readFile: () => undefined });
  const settings = openSettings(entries, env);
  const config = parseOciTags(settings, ociNamePatterns);
  parseFeed(settings);
  const unknown = unknownKeys(entries, new Map(Object.entries(SETTINGS)));
  return { ...config, problems: settings.problems, unknown };
}

test("without a setting every tag may move, and none expires", () => {
  const config = parsed({});
  expect(config.rules).toEqual([]);
  expect(config.retention).toEqual({ enabled: false, dryRun: true, everyMs: DAY_MS });
  expect(hasKeepRule(config)).toBe(false);
});

test("reads a rule, with patterns as tokens have them", () => {
  const { rules, problems, unknown } = parsed({
    [`${FIRST}__Name`]: "releases",
    [`${FIRST}__Repositories`]: "team/**, tools",
    [`${FIRST}__Tags`]: "v*",
    [`${FIRST}__Immutable`]: "True",
    [`${FIRST}__KeepNewest`]: "5",
    [`${FIRST}__KeepPushedWithin`]: "30",
    [`${FIRST}__KeepPulledWithin`]: "7.00:00:00",
    [`${FIRST}__KeepTags`]: "v1.0",
    [`${FIRST}__KeepUntagged`]: "12:00:00",
  });
  expect(problems).toEqual([]);
  expect(unknown).toEqual([]);
  const [rule] = rules;
  expect(rule).toMatchObject({ name: "releases", immutable: true, keepUntaggedMs: DAY_MS / 2 });
  expect(rule?.keep).toMatchObject({
    newest: 5,
    pushedWithinMs: 30 * DAY_MS,
    pulledWithinMs: 7 * DAY_MS,
  });
  const names = ["team", "team/app", "team/a/b", "tools", "tools/x", "other"];
  expect(names.filter((name) => rule?.coversRepository(name))).toEqual(names.slice(0, 4));
  expect(["v1", "V1", "1"].filter((tag) => rule?.coversTag(tag))).toEqual(["v1"]);
  expect(["v1.0", "v1.01"].filter((tag) => rule?.keep?.always(tag))).toEqual(["v1.0"]);
});

test("a rule without patterns covers everything, and has its key for a name", () => {
  const { rules } = parsed({ [`${FIRST}__KeepUntagged`]: "-1" });
  expect(rules[0]?.name).toBe(FIRST);
  expect(rules[0]?.keepUntaggedMs).toBe(Infinity);
  expect(rules[0]?.keep).toBeUndefined();
  expect(rules[0]?.coversRepository("a/b/c")).toBe(true);
  expect(rules[0]?.coversTag("1.0_x-y")).toBe(true);
});

test.each([
  ["that says nothing", { Name: "idle" }, /TagRules__0: says nothing/],
  ["that only names tags which stay", { KeepTags: "latest" }, /KeepTags: needs KeepNewest/],
  ["with a pattern that is none", { Tags: "a?b", Immutable: "true" }, /Tags: "a\?b" is not a name/],
  ["that keeps none", { KeepNewest: "0" }, /KeepNewest: "0" is not allowed/],
])("refuses a rule %s", (_, fields, problem) => {
  const env = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`${FIRST}__${name}`, value]),
  );
  expect(parsed(env).problems.join("\n")).toMatch(problem);
});
