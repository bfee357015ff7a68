import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isAttachedTag } from "../attached-tag.ts";
import { digestOf } from "../digest.ts";
import { parseRepositoryName } from "../repository-name.ts";
import { planTagRetention } from "./plan-retention.ts";
import type { TagRecord } from "./ports.ts";
import type { TagRule, TagsToKeep } from "./tag-rules.ts";
import { immutableTags, keepUntaggedMs } from "./tag-rules.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW = new Date("2026-06-30T12:00:00Z");
const APP = parseRepositoryName("team/app");
const SIGNATURE = `sha256-${"a".repeat(64)}.sig`;
const DIGEST = digestOf(Buffer.from("manifest"));

type Keep = Partial<TagsToKeep>;
type Given = Partial<Omit<TagRule, "keep">> & { readonly keep?: Keep };

function rule({ keep, ...fields }: Given = {}): TagRule {
  return {
    name: "the rule",
    coversRepository: () => true,
    coversTag: () => true,
    immutable: false,
    ...fields,
    ...(keep && { keep: { always: () => false, ...keep } }),
  };
}

/** `1.0 3 1`: the tag 1.0, pushed three days ago, pulled one day ago. */
function records(...lines: readonly string[]): readonly TagRecord[] {
  return lines.map((line) => {
    const [tag = "", pushed = "", pulled] = line.split(" ");
    const ago = (days: string) => new Date(NOW.getTime() - Number(days) * DAY_MS);
    const pulledAt = pulled === undefined ? {} : { pulledAt: ago(pulled) };
    return { tag, digest: DIGEST, pushedAt: ago(pushed), ...pulledAt };
  });
}

const v = { coversTag: (tag: string) => tag.startsWith("v") };
const PLANS: readonly (readonly [string, readonly TagRule[], readonly string[], string[]])[] = [
  ["nothing without a rule", [], ["a 1", "b 900"], []],
  ["nothing by a rule that keeps all", [rule()], ["a 900"], []],
  ["nothing by a rule without a condition", [rule({ keep: {} })], ["a 900"], []],
  [
    "nothing of other repositories",
    [rule({ coversRepository: () => false, keep: { newest: 1 } })],
    ["a 2", "b 1"],
    [],
  ],
  ["all but the newest", [rule({ keep: { newest: 2 } })], ["a 2", "c 0", "b 1", "d 3"], ["d", "a"]],
  ["the lesser name of two from one push", [rule({ keep: { newest: 1 } })], ["a 1", "b 1"], ["a"]],
  [
    "what was pushed too long ago",
    [rule({ keep: { pushedWithinMs: 2 * DAY_MS } })],
    ["a 1", "b 2", "c 3"],
    ["c"],
  ],
  [
    "nothing that would leave no tag",
    [rule({ keep: { pushedWithinMs: DAY_MS } })],
    ["a 9", "b 8"],
    ["a"],
  ],
  [
    "the last tag that a rule covers, when another tag is left",
    [rule({ ...v, keep: { pushedWithinMs: DAY_MS } })],
    ["v1 9", `${SIGNATURE} 9`, "a 9"],
    ["v1"],
  ],
  [
    "what was pulled too long ago, or never",
    [rule({ keep: { pulledWithinMs: 2 * DAY_MS } })],
    ["a 9 1", "b 9 3", "c 1"],
    ["b", "c"],
  ],
  [
    "what no condition keeps",
    [rule({ keep: { newest: 1, pushedWithinMs: 2 * DAY_MS, pulledWithinMs: DAY_MS } })],
    ["a 0", "b 2", "c 3 1", "d 4 2", "e 5"],
    ["e", "d"],
  ],
  [
    "nothing that stays in any case, which does not count either",
    [rule({ keep: { newest: 1, always: (tag) => tag === "latest" } })],
    ["latest 0", "a 1", "b 2"],
    ["b"],
  ],
  [
    "nothing that belongs to a digest, which does not count either",
    [rule({ keep: { newest: 1 } })],
    [`${SIGNATURE} 0`, "a 1", "b 2"],
    ["b"],
  ],
  [
    "nothing immutable, which does not count either",
    [rule({ keep: { newest: 1 } }), rule({ ...v, immutable: true })],
    ["v1 0", "v0 9", "a 1", "b 2"],
    ["b"],
  ],
  [
    "each tag by the first rule that covers it",
    [rule({ ...v, name: "first", keep: { newest: 2 } }), rule({ keep: { newest: 1 } })],
    ["v1 3", "v2 2", "a 1", "b 0"],
    ["a"],
  ],
  [
    "tags that no rule covers never",
    [rule({ ...v, keep: { newest: 1 } })],
    ["a 9", "v1 2", "v2 1"],
    ["v1"],
  ],
];

test.each(PLANS)("takes %s", (_, rules, tags, going) => {
  const plan = planTagRetention({ repository: APP, tags: records(...tags) }, rules, NOW);
  expect(plan.map(({ tag }) => tag)).toEqual(going);
});

const days = fc.integer({ min: 0, max: 20 });
const someTags = fc.uniqueArray(
  fc.record({
    tag: fc.oneof(fc.stringMatching(/^[a-z0-9]{1,4}$/), fc.constant(SIGNATURE)),
    pushed: days,
    pulled: fc.option(days, { nil: undefined }),
  }),
  { selector: ({ tag }) => tag, maxLength: 30 },
);
const someKeep = fc.record({
  newest: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
  pushedWithinMs: fc.option(
    days.map((count) => count * DAY_MS),
    { nil: undefined },
  ),
  pulledWithinMs: fc.option(
    days.map((count) => count * DAY_MS),
    { nil: undefined },
  ),
});
const toRecords = (tags: readonly { tag: string; pushed: number; pulled: number | undefined }[]) =>
  records(...tags.map(({ tag, pushed, pulled }) => [tag, pushed, pulled].join(" ").trimEnd()));

test("never takes what a condition keeps, and everything else, however tags are ordered", () => {
  fc.assert(
    fc.property(someTags, someKeep, (drawn, keep) => {
      const tags = toRecords(drawn);
      const { newest = 0, pushedWithinMs = -1, pulledWithinMs = -1 } = keep;
      const rules = [rule({ keep: { ...withoutUndefined(keep) } })];
      const plan = planTagRetention({ repository: APP, tags }, rules, NOW);
      const going = new Set(plan.map(({ tag }) => tag));
      const ageOf = (time: Date | undefined) => (time ? NOW.getTime() - time.getTime() : Infinity);
      const usual = tags.filter(({ tag }) => !isAttachedTag(tag));
      const isNamed = Object.values(keep).some((limit) => limit !== undefined);
      const newerThan = (tagRecord: TagRecord) =>
        usual.filter(
          (other) =>
            other.pushedAt > tagRecord.pushedAt ||
            (other.pushedAt.getTime() === tagRecord.pushedAt.getTime() &&
              other.tag > tagRecord.tag),
        ).length;
      const isKept = (tagRecord: TagRecord) =>
        !isNamed ||
        newerThan(tagRecord) < newest ||
        ageOf(tagRecord.pushedAt) <= pushedWithinMs ||
        ageOf(tagRecord.pulledAt) <= pulledWithinMs;
      // No rule empties a repository.
      const isEmptied = usual.every((tagRecord) => !isKept(tagRecord));
      for (const tagRecord of tags) {
        const stays =
          isAttachedTag(tagRecord.tag) ||
          isKept(tagRecord) ||
          (isEmptied && newerThan(tagRecord) === 0);
        expect(going.has(tagRecord.tag)).toBe(!stays);
      }
      const turned = planTagRetention({ repository: APP, tags: tags.toReversed() }, rules, NOW);
      expect(turned).toEqual(plan);
    }),
  );
});

test("takes nothing more once what it chose is gone", () => {
  fc.assert(
    fc.property(someTags, someKeep, (drawn, keep) => {
      const tags = toRecords(drawn);
      const rules = [rule({ keep: withoutUndefined(keep) })];
      const plan = planTagRetention({ repository: APP, tags }, rules, NOW);
      const gone = new Set(plan.map(({ tag }) => tag));
      const left = tags.filter(({ tag }) => !gone.has(tag));
      expect(planTagRetention({ repository: APP, tags: left }, rules, NOW)).toEqual([]);
    }),
  );
});

test("names the rule that makes a tag immutable, and leaves tags of signatures free", () => {
  const immutableBy = immutableTags([
    rule(),
    rule({ ...v, name: "releases", immutable: true }),
    rule({ name: "all", immutable: true }),
  ]);
  expect(immutableBy(APP, "v1")).toBe("releases");
  expect(immutableBy(APP, "latest")).toBe("all");
  expect(immutableBy(APP, SIGNATURE)).toBeUndefined();
  expect(immutableBy(APP, `sha512-${"0".repeat(64)}`)).toBeUndefined();
  expect(immutableBy(APP, `sha256-${"0".repeat(63)}`)).toBe("all");
});

test("keeps manifests without a tag as the first rule says that speaks of them", () => {
  const rules = [
    rule(),
    rule({ coversRepository: (name) => name === "team/app", keepUntaggedMs: 5 }),
    rule({ keepUntaggedMs: Infinity }),
  ];
  expect(keepUntaggedMs(rules, APP)).toBe(5);
  expect(keepUntaggedMs(rules, parseRepositoryName("other"))).toBe(Infinity);
  expect(keepUntaggedMs([rule()], APP)).toBeUndefined();
});

function withoutUndefined(keep: { readonly [Key in keyof Keep]?: Keep[Key] | undefined }): Keep {
  const { newest, pushedWithinMs, pulledWithinMs } = keep;
  return {
    ...(newest !== undefined && { newest }),
    ...(pushedWithinMs !== undefined && { pushedWithinMs }),
    ...(pulledWithinMs !== undefined && { pulledWithinMs }),
  };
}
