import type { NpmAdvisory } from "@sealhouse/npm-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AdmittedVersion } from "../../policy/fast-lane.ts";
import type { PolicyRule } from "../../policy/policy-rule.ts";
import { openScriptedRegistry, PUBLISHED_AT } from "../../testing/scripted-npm.ts";
import type { ScriptedRegistry } from "../../testing/scripted-npm.ts";
import { npmSource, openMirrorRegistry } from "./mirror-registry.test.support.ts";
import type { MirrorRegistry } from "./mirror-registry.test.support.ts";

const DAY_MS = 24 * 60 * 60_000;
const AGE_MS = 7 * DAY_MS;
let source: ScriptedRegistry;
beforeEach(async () => {
  source = await openScriptedRegistry();
});
afterEach(() => source[Symbol.asyncDispose]());

const open = (options: Parameters<typeof openMirrorRegistry>[1] = {}) =>
  openMirrorRegistry(
    [npmSource(source, { name: "slow", settings: { minimumReleaseAgeMs: AGE_MS } })],
    options,
  );

/** Publishes the last version `ageMs` ago, and the others long ago. */
function publish(name: string, versions: readonly string[], ageMs: number): string {
  const publishedAt = new Date(Date.now() - ageMs).toISOString();
  source.publish(name, ...versions);
  source.change(name, ({ time }) => void (time[versions.at(-1) ?? ""] = publishedAt));
  return publishedAt;
}

let lastRule = 0;
/** Adds a rule, which applies at once. Returns a function that removes it. */
async function addRule(
  registry: MirrorRegistry,
  parts: Partial<PolicyRule> & Pick<PolicyRule, "pattern">,
): Promise<() => Promise<void>> {
  lastRule += 1;
  const id = `r${lastRule}`;
  const rule: PolicyRule = {
    id,
    effect: "deny",
    protocol: "npm",
    versions: "",
    conditions: {},
    reason: "It calls home.",
    createdBy: "ada",
    createdAt: new Date(),
    ...parts,
  };
  await registry.rules.add(rule, { actor: "ada" });
  registry.pass(2_000);
  return async () => {
    await registry.rules.remove(id, { actor: "ada" });
    registry.pass(2_000);
  };
}

const errorOf = ({ text }: { readonly text: string }) =>
  (JSON.parse(text) as { readonly error?: string }).error;

test("leaves a young version out of documents and tags, and refuses its tarball", async () => {
  const publishedAt = publish("young", ["1.0.0", "1.1.0", "2.0.0-beta", "1.2.0"], DAY_MS);
  source.change("young", (document) => {
    document["dist-tags"]["next"] = "2.0.0-beta";
    document["dist-tags"]["hot"] = "1.2.0";
  });
  await using registry = open();
  for (const accept of ["application/json", "application/vnd.npm.install-v1+json"]) {
    const { status, body, versions } = await registry.packument("young", accept);
    expect([status, versions]).toEqual([200, ["1.0.0", "1.1.0", "2.0.0-beta"]]);
    expect(body["dist-tags"]).toEqual({ latest: "1.1.0", next: "2.0.0-beta" });
    expect(body.time["1.2.0"]).toBe(publishedAt);
    expect(body.time["1.1.0"]).toBe(PUBLISHED_AT);
    expect(body.policyRestrictions?.message).toContain("young 1.2.0 is held back until");
  }
  const tags = await registry.get("-/package/young/dist-tags");
  expect(JSON.parse(tags.text)).toEqual({ latest: "1.1.0", next: "2.0.0-beta" });
  const refused = await registry.tarball("young", "1.2.0");
  expect(refused.status).toBe(403);
  expect(errorOf(refused)).toMatch(/held back until .* waits 7 days .* source "slow"/);
  const one = await registry.get("young/1.2.0");
  expect([one.status, errorOf(one)]).toEqual([403, errorOf(refused)]);
  expect((await registry.tarball("young", "1.1.0")).status).toBe(200);
  expect(source.requests).not.toContain("GET /young/-/young-1.2.0.tgz");
});

test("a held version appears at its time, without a question to the source", async () => {
  publish("ripening", ["1.0.0", "1.1.0"], AGE_MS - 60_000);
  await using registry = open();
  expect((await registry.packument("ripening")).versions).toEqual(["1.0.0"]);
  registry.pass(59_000);
  expect((await registry.packument("ripening")).versions).toEqual(["1.0.0"]);
  registry.pass(1_000);
  const { versions, body } = await registry.packument("ripening");
  expect([versions, body["dist-tags"]]).toEqual([["1.0.0", "1.1.0"], { latest: "1.1.0" }]);
  expect(body.policyRestrictions).toBeUndefined();
  expect((await registry.tarball("ripening", "1.1.0")).status).toBe(200);
  expect(source.requests.filter((line) => line === "GET /ripening")).toHaveLength(1);
});

test("an exception shows held versions until its end; fetched ones stay", async () => {
  publish("excepted", ["1.0.0", "1.1.0", "1.2.0"], DAY_MS);
  source.change("excepted", ({ time }) => {
    time["1.1.0"] = new Date(Date.now() - 2 * DAY_MS).toISOString();
  });
  await using registry = open();
  const shown = async () => (await registry.packument("excepted")).versions;
  expect(await shown()).toEqual(["1.0.0"]);
  const rule = { effect: "allow", pattern: "excepted", versions: ">=1.1.0" } as const;
  const remove = await addRule(registry, rule);
  expect(await shown()).toEqual(["1.0.0", "1.1.0", "1.2.0"]);
  expect((await registry.tarball("excepted", "1.1.0")).status).toBe(200);
  await remove();
  expect(await shown()).toEqual(["1.0.0", "1.1.0"]);
  expect((await registry.tarball("excepted", "1.1.0")).status).toBe(200);
  expect((await registry.tarball("excepted", "1.2.0")).status).toBe(403);
});

test("refuses a denied version although it was fetched, until its rule ends", async () => {
  publish("denied", ["1.0.0", "1.1.0"], 30 * DAY_MS);
  await using registry = open();
  expect((await registry.tarball("denied", "1.1.0")).status).toBe(200);
  const remove = await addRule(registry, { pattern: "den*", versions: "1.1.0" });
  const { versions, body } = await registry.packument("denied");
  expect([versions, body["dist-tags"]]).toEqual([["1.0.0"], { latest: "1.0.0" }]);
  const refused = await registry.tarball("denied", "1.1.0");
  expect([refused.status, errorOf(refused)]).toEqual([
    403,
    "denied 1.1.0 is denied on this registry: It calls home. Use another version, or ask the " +
      "administrators of this registry.",
  ]);
  await remove();
  expect((await registry.packument("denied")).versions).toEqual(["1.0.0", "1.1.0"]);
  expect((await registry.tarball("denied", "1.1.0")).status).toBe(200);
});

test("a rule that expires ends at its time", async () => {
  publish("ending", ["1.0.0", "1.1.0"], 30 * DAY_MS);
  await using registry = open();
  const expiresAt = new Date(registry.now().getTime() + 60_000);
  await addRule(registry, { pattern: "ending", versions: "1.1.0", expiresAt });
  expect((await registry.packument("ending")).versions).toEqual(["1.0.0"]);
  registry.pass(60_000);
  expect((await registry.packument("ending")).versions).toEqual(["1.0.0", "1.1.0"]);
});

test("refuses a package without an allowed version, with the reason", async () => {
  publish("fresh", ["1.0.0"], DAY_MS);
  await using registry = open();
  const { status, body } = await registry.packument("fresh");
  expect([status, body.error]).toEqual([
    403,
    expect.stringContaining("fresh 1.0.0 is held back until"),
  ]);
});

test("a version without a publish date counts from its first listing here", async () => {
  publish("undated", ["1.0.0", "1.1.0"], DAY_MS);
  source.change("undated", ({ time }) => void delete time["1.1.0"]);
  await using registry = open();
  expect((await registry.packument("undated")).versions).toEqual(["1.0.0"]);
  const refused = await registry.tarball("undated", "1.1.0");
  expect(errorOf(refused)).toContain("it was first seen here at");
  registry.pass(AGE_MS);
  expect((await registry.packument("undated")).versions).toEqual(["1.0.0", "1.1.0"]);
});

test.each([
  ["version", { version: "1.0.0" }],
  ["name", { name: "another" }],
])("refuses a young version under a wrong %s", async (_, fields) => {
  publish("misdescribed", ["1.0.0", "1.1.0"], DAY_MS);
  source.change("misdescribed", ({ versions }) => {
    Object.assign(versions["1.1.0"] ?? {}, fields);
  });
  await using registry = open();
  expect((await registry.packument("misdescribed")).versions).toEqual(["1.0.0"]);
  expect((await registry.tarball("misdescribed", "1.1.0")).status).toBe(404);
});

const advisory = (
  severity: NpmAdvisory["severity"],
  versions: string,
  id: string,
): NpmAdvisory => ({
  advisoryId: id,
  severity,
  versions,
  title: "Prototype pollution",
  url: `https://advisories.example/${id}`,
  cwe: [],
});

test.each([
  ["scripts", { hasInstallScripts: true }, { scripts: { postinstall: "node steal.js" } }],
  ["a licence", { licenses: ["AGPL-*"] }, { license: "AGPL-3.0-only" }],
  ["an advisory", { severity: 2 }, {}],
] as const)("a rule denies versions by %s", async (_, conditions, fields) => {
  publish("ruled", ["1.0.0", "1.1.0", "1.2.0"], 30 * DAY_MS);
  source.change("ruled", ({ versions }) => {
    Object.assign(versions["1.1.0"] ?? {}, fields);
  });
  await using registry = open();
  registry.advisories.set("ruled", [advisory(3, "1.1.0", "GHSA-1"), advisory(1, "1.2.0", "B")]);
  expect((await registry.packument("ruled")).versions).toEqual(["1.0.0", "1.1.0", "1.2.0"]);
  await addRule(registry, { pattern: "ruled", conditions });
  expect((await registry.packument("ruled")).versions).toEqual(["1.0.0", "1.2.0"]);
  expect((await registry.tarball("ruled", "1.1.0")).status).toBe(403);
  expect((await registry.tarball("ruled", "1.2.0")).status).toBe(200);
});

test("a later advisory denies a version that documents showed before", async () => {
  publish("ruled", ["1.0.0", "1.1.0"], 30 * DAY_MS);
  await using registry = open();
  await addRule(registry, { pattern: "ruled", conditions: { severity: 0 } });
  expect((await registry.packument("ruled")).versions).toEqual(["1.0.0", "1.1.0"]);
  registry.advisories.set("ruled", [advisory(3, "1.1.0", "GHSA-1")]);
  registry.pass(60 * 60_000);
  expect((await registry.packument("ruled")).versions).toEqual(["1.0.0"]);
});

test("rules apply to packages of this registry, also in search", async () => {
  await using registry = open();
  for (const version of ["1.0.0", "1.1.0"]) await registry.publish("own-ruled", version);
  expect((await registry.packument("own-ruled")).versions).toEqual(["1.0.0", "1.1.0"]);
  await addRule(registry, { pattern: "own-ruled", versions: "1.1.0" });
  expect((await registry.packument("own-ruled")).versions).toEqual(["1.0.0"]);
  expect((await registry.tarball("own-ruled", "1.1.0")).status).toBe(403);
  expect((await registry.tarball("own-ruled", "1.0.0")).status).toBe(200);
  const { text } = await registry.get("-/v1/search?text=own-ruled");
  expect(JSON.parse(text)).toMatchObject({ objects: [{ package: { version: "1.0.0" } }] });
  // Its writers still see it, to deprecate or unpublish it.
  const written = await registry.packument("own-ruled?write=true");
  expect(written.versions).toEqual(["1.0.0", "1.1.0"]);
  await addRule(registry, { pattern: "own-*" });
  const hidden = await registry.get("-/v1/search?text=own-ruled");
  expect(JSON.parse(hidden.text)).toMatchObject({ objects: [], total: 0 });
});

test("stored versions suffice for a decision while the source is away", async () => {
  publish("away", ["1.0.0", "1.1.0"], 30 * DAY_MS);
  await using registry = open();
  for (const version of ["1.0.0", "1.1.0"]) await registry.tarball("away", version);
  await source.stop();
  registry.pass(30 * DAY_MS);
  await addRule(registry, { pattern: "away", versions: "1.1.0" });
  expect((await registry.tarball("away", "1.0.0")).status).toBe(200);
  expect((await registry.tarball("away", "1.1.0")).status).toBe(403);
  expect([...(await registry.mirrored.refused("away")).keys()]).toEqual(["1.1.0"]);
});

test("only fixes of a listed source of advisories do not wait; the lane notes them", async () => {
  const noted: AdmittedVersion[] = [];
  const note = async (admitted: AdmittedVersion) => void noted.push(admitted);
  await using registry = open({ fastLane: { sources: ["trusted"], note } });
  const fixes = advisory(3, "<1.1.0", "GHSA-fixed");
  for (const name of ["fixed", "still", "claimed"]) publish(name, ["1.0.0", "1.1.0"], DAY_MS);
  registry.advisories.set("fixed", [fixes]);
  // The new version has another advisory.
  registry.advisories.set("still", [fixes, advisory(1, "1.1.0", "GHSA-still")]);
  const shown = async (name: string) => (await registry.packument(name)).versions;
  expect(await shown("fixed")).toEqual(["1.0.0", "1.1.0"]);
  expect(await shown("still")).toEqual(["1.0.0"]);
  expect(await shown("claimed")).toEqual(["1.0.0"]);
  expect(noted).toEqual([]);
  expect((await registry.tarball("fixed", "1.1.0")).status).toBe(200);
  expect((await registry.tarball("still", "1.1.0")).status).toBe(403);
  expect(noted).toEqual([
    {
      protocol: "npm",
      name: "fixed",
      version: "1.1.0",
      source: "slow",
      advisory: "GHSA-fixed",
    },
  ]);
});

test("search in sources shows the newest allowed version, and no package without one", async () => {
  publish("young-pad", ["1.0.0", "1.1.0"], DAY_MS);
  publish("fresh-pad", ["1.0.0"], DAY_MS);
  publish("old-pad", ["1.0.0"], 30 * DAY_MS);
  await using registry = open({ mergeStrategy: "LocalPreferred" });
  const { text } = await registry.get("-/v1/search?text=pad");
  const { objects } = JSON.parse(text) as {
    objects: { package: { name: string; version: string } }[];
  };
  const hits = objects.map((hit) => `${hit.package.name} ${hit.package.version}`);
  expect(hits).toEqual(["young-pad 1.0.0", "old-pad 1.0.0"]);
  // A search claims no name.
  expect(await registry.parts.origins.find("npm", "young-pad")).toBeUndefined();
});
