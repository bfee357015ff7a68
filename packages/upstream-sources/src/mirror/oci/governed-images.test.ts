import { digestOf, parseRepositoryName } from "@sealhouse/oci-distribution";
import { createMemoryOciPorts } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import type { PolicyRule } from "../../policy/policy-rule.ts";
import { createRuleList } from "../../policy/rule-list.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { governedImages } from "./governed-images.ts";
import { createImagePolicy } from "./image-policy.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const name = parseRepositoryName("team/app");
const digest = digestOf(Buffer.from("any"));
const TAGS = ["1", "2", "3", "4"];

const rule = (effect: PolicyRule["effect"], versions = ""): PolicyRule => ({
  id: `${effect} ${versions}`,
  effect,
  protocol: "oci",
  pattern: "team/*",
  versions,
  conditions: {},
  reason: "It mines coins.",
  createdBy: "ada",
  createdAt: NOW,
});

function governed(...rules: readonly PolicyRule[]) {
  const list = async ({ limit, after }: { readonly limit: number; readonly after?: string }) =>
    TAGS.filter((tag) => after === undefined || tag > after).slice(0, limit);
  const now = () => NOW;
  const { firstSeen } = createMemoryMirrorPorts();
  return governedImages(
    {
      manifests: { ...createMemoryOciPorts().manifests, tags: (_name, page) => list(page) },
      past: {
        digest: async () => digest,
        tags: (_name, _time, page) => list(page),
        deleted: async () => undefined,
        beginning: async () => NOW,
      },
    },
    createImagePolicy({
      rules: createRuleList({ stored: { list: async () => rules }, now }),
      firstSeen,
      now,
    }),
  );
}

test.each([
  ["no rule", [], { limit: 3 }, ["1", "2", "3"]],
  ["rules about two tags", [rule("deny", "1"), rule("deny", "3")], { limit: 2 }, ["2", "4"]],
  ["an exception", [rule("deny"), rule("allow", "3")], { limit: 1 }, ["3"]],
  ["nothing after it", [rule("deny"), rule("allow", "3")], { limit: 1, after: "3" }, []],
  ["a rule about a digest", [rule("deny", digest)], { limit: 9 }, TAGS],
])("with %s, lists all other tags", async (_what, rules, page, tags) => {
  const { manifests, past } = governed(...rules);
  expect(await manifests.tags(name, page)).toEqual(tags);
  expect(await past.tags(name, NOW, page)).toEqual(tags);
});

test("refuses the list without an allowed tag", async () => {
  const { manifests, past } = governed(rule("deny"));
  for (const listed of [manifests.tags(name, { limit: 2 }), past.tags(name, NOW, { limit: 2 })]) {
    await expect(listed).rejects.toThrow(
      "team/app 1 is denied on this registry: It mines coins. Use another version",
    );
  }
});

test.each([
  ["1", rule("deny", "1"), true],
  ["1", rule("deny", digest), true],
  ["2", rule("deny", "1"), false],
])("a view refuses the tag %s by a rule", async (tag, only, isRefused) => {
  const outcome = governed(only).past.digest(name, tag, NOW);
  expect(
    await outcome.then(
      () => false,
      () => true,
    ),
  ).toBe(isRefused);
});
