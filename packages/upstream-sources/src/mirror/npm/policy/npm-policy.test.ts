import type { NpmAdvisory, NpmPackage } from "@sealhouse/npm-protocol";
import { expect, test } from "vitest";
import type { PolicyRule } from "../../../policy/policy-rule.ts";
import { NO_RULES } from "../../../policy/rule-list.ts";
import { createMemoryMirrorPorts } from "../../../testing/index.ts";
import { createNpmPolicy } from "./npm-policy.ts";

const advisory = (severity: NpmAdvisory["severity"], versions: string): NpmAdvisory => ({
  advisoryId: `GHSA-${severity}`,
  severity,
  versions,
  title: "Prototype pollution",
  url: `https://advisories.example/${severity}`,
  cwe: [],
});

const found: NpmPackage = {
  name: "left-pad",
  revision: 3,
  createdAt: new Date(0),
  modifiedAt: new Date(0),
  distTags: {},
  versions: ["1.0.0", "1.1.0", "2.0.0"].map((version) => ({
    version,
    manifest: "{}",
    abbreviated: "{}",
    integrity: "sha512-x",
    shasum: "",
    publishedAt: new Date(0),
  })),
};

test("denies versions by the most severe of their advisories", async () => {
  const known = [advisory(1, "<2.0.0"), advisory(3, "1.0.0")];
  const policy = createNpmPolicy({
    rules: NO_RULES,
    firstSeen: createMemoryMirrorPorts().firstSeen,
    advisories: { of: async (names) => new Map(names.map((name) => [name, known])) },
    now: () => new Date(),
  });
  const refusedBy = async (severity: 0 | 1 | 2 | 3) => {
    const rule: PolicyRule = {
      id: "r1",
      effect: "deny",
      protocol: "npm",
      pattern: "**",
      versions: "",
      conditions: { severity },
      reason: "It has an advisory.",
      createdBy: "ada",
      createdAt: new Date(0),
    };
    const { refused } = await policy.judge({ revision: "", rules: [rule] }, { found, undated: [] });
    return [...refused.keys()];
  };
  expect(await refusedBy(1)).toEqual(["1.0.0", "1.1.0"]);
  expect(await refusedBy(2)).toEqual(["1.0.0"]);
  expect(await refusedBy(3)).toEqual(["1.0.0"]);
});
