import type { NpmSearchHit } from "@sealhouse/npm-protocol";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import { parsePackument } from "@sealhouse/npm-protocol/client";
import { expect, test } from "vitest";
import type { PolicyRule, RuleConditions } from "../../../policy/policy-rule.ts";
import { createMemoryMirrorPorts } from "../../../testing/index.ts";
import { memoryParts, testSource } from "../../../testing/memory-parts.ts";
import { openMirror } from "../../mirror.ts";
import { createAllowHit } from "./allow-hit.ts";
import { createNpmPolicy } from "../policy/npm-policy.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW = new Date("2026-10-01T00:00:00Z");
const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

const VERSIONS = {
  "1.0.0": { age: 90, license: "MIT" },
  "1.1.0": { age: 30, license: "MIT", scripts: { postinstall: "node x.js" } },
  "1.2.0": { age: 1, license: "AGPL-3.0-only" },
};

function packumentOf(name: string): object {
  const entries = Object.entries(VERSIONS);
  const dist = { tarball: "https://one.example/x.tgz", shasum: "0".repeat(40) };
  return {
    name,
    "dist-tags": { latest: "1.2.0" },
    time: Object.fromEntries(entries.map(([version, { age }]) => [version, ago(age)])),
    versions: Object.fromEntries(
      entries.map(([version, { age: _age, ...fields }]) => [
        version,
        { name, version, description: `It is ${version}.`, ...fields, dist },
      ]),
    ),
  };
}

const hit: NpmSearchHit = {
  name: "pad",
  version: "1.2.0",
  description: "It is 1.2.0.",
  keywords: [],
  publishedAt: ago(VERSIONS["1.2.0"].age),
  manifest: JSON.stringify({ name: "pad", version: "1.2.0" }),
  dependents: 0,
};

function denyRule(versions: string, conditions: RuleConditions = {}): PolicyRule {
  return {
    id: versions,
    effect: "deny",
    protocol: "npm",
    pattern: "pad",
    versions,
    conditions,
    reason: "No.",
    createdBy: "ada",
    createdAt: new Date(0),
  };
}

type Case = {
  readonly rules?: readonly PolicyRule[];
  readonly minimumReleaseAgeMs?: number;
  readonly found?: Partial<NpmSearchHit>;
};

const cases: readonly [string, Case, shown: string | undefined, reads: number][] = [
  ["without rules", {}, "1.2.0", 0],
  ["old enough", { minimumReleaseAgeMs: DAY_MS }, "1.2.0", 0],
  ["held back", { minimumReleaseAgeMs: 7 * DAY_MS }, "1.1.0", 1],
  [
    "of unknown age",
    { minimumReleaseAgeMs: DAY_MS, found: { publishedAt: new Date(0) } },
    "1.2.0",
    1,
  ],
  ["all held back", { minimumReleaseAgeMs: 100 * DAY_MS }, undefined, 1],
  ["denied", { rules: [denyRule(">=1.1.0")] }, "1.0.0", 1],
  ["with another version denied", { rules: [denyRule("1.0.0")] }, "1.2.0", 0],
  ["with a denied licence", { rules: [denyRule("", { licenses: ["AGPL-*"] })] }, "1.1.0", 1],
  ["with older scripts", { rules: [denyRule("", { hasInstallScripts: true })] }, "1.2.0", 1],
];

test.each(cases)(
  "a search shows a version %s",
  async (_, { rules = [], ...given }, shown, reads) => {
    const { minimumReleaseAgeMs = 0, found = {} } = given;
    const source = testSource("npm", new URL("https://one.example"), {
      settings: { minimumReleaseAgeMs },
    });
    const now = () => NOW;
    const set = { revision: "1", rules };
    let asked = 0;
    const client: Pick<NpmClient, "packument"> = {
      async packument(name) {
        asked += 1;
        const bytes = Buffer.from(JSON.stringify(packumentOf(name)));
        const packument = parsePackument(JSON.parse(bytes.toString()), name);
        return packument && { status: "found", packument, received: { bytes } };
      },
    };
    const allowHit = createAllowHit({
      mirror: openMirror(memoryParts({ sources: [source], now })),
      clientOf: () => client as NpmClient,
      lookup: { find: async () => undefined },
      policy: createNpmPolicy({
        rules: { current: async () => set, known: () => set },
        firstSeen: createMemoryMirrorPorts({ now: () => ago(2) }).firstSeen,
        advisories: { of: async () => new Map() },
        now,
      }),
    });
    const allowed = await allowHit({ ...hit, ...found }, source);
    expect([allowed?.version, allowed?.description]).toEqual([shown, shown && `It is ${shown}.`]);
    expect(asked).toBe(reads);
  },
);
