import { openDatabase } from "@sealhouse/database";
import type { PolicyRule } from "@sealhouse/upstream-sources";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { addSource } from "./add-source.ts";
import type { Packument, ScriptedRegistry } from "./scripted-npm.ts";
import { openScriptedRegistry, PUBLISHED_AT } from "./scripted-npm.ts";

const DAY_MS = 24 * 60 * 60_000;
const AGE_MS = 7 * DAY_MS;
/** Rules apply after two seconds. */
const SOON = { timeout: 10_000, interval: 200 };

let upstream: ScriptedRegistry;
let host: TestHost;

beforeAll(async () => {
  upstream = await openScriptedRegistry();
  host = await startHost({ env: { Signing__Mode: "" } });
  const settings = { revalidateAfterMs: 60_000, minimumReleaseAgeMs: AGE_MS };
  await addSource(host, { name: "slow", protocol: "npm", url: upstream.url, settings });
});
afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

/** Publishes the last version `ageMs` ago, and the others long ago. */
function publish(name: string, versions: readonly string[], ageMs: number): string {
  const publishedAt = new Date(Date.now() - ageMs).toISOString();
  upstream.publish(name, ...versions);
  upstream.change(name, ({ time }) => {
    time[versions.at(-1) ?? ""] = publishedAt;
  });
  return publishedAt;
}

async function packument(name: string, accept = "application/json") {
  const response = await host.fetch(`/npm/${name}`, { headers: { accept } });
  const body = (await response.json()) as Packument & {
    readonly error?: string;
    readonly policyRestrictions?: { readonly message: string };
  };
  return { status: response.status, body, versions: Object.keys(body.versions ?? {}) };
}

async function tarball(name: string, version: string) {
  const response = await host.fetch(`/npm/${name}/-/${name}-${version}.tgz`);
  const text = await response.text();
  const { error } = (response.ok ? {} : JSON.parse(text)) as { readonly error?: string };
  return { status: response.status, error };
}

async function addRule(parts: Partial<PolicyRule> & { readonly pattern: string }): Promise<string> {
  const rule: PolicyRule = {
    id: randomUUID(),
    effect: "deny",
    protocol: "npm",
    versions: "",
    conditions: {},
    reason: "It calls home.",
    createdBy: "ada",
    createdAt: new Date(),
    ...parts,
  };
  await using database = await openStored();
  await database.upstream.rules.add(rule, { actor: "ada" });
  return rule.id;
}

async function removeRule(id: string): Promise<void> {
  await using database = await openStored();
  await database.upstream.rules.remove(id, { actor: "ada" });
}

function openStored() {
  return openDatabase({ type: "Sqlite", path: join(host.folder, "sealhouse.db") });
}

const shown = async (name: string) => (await packument(name)).versions;

test("leaves a young version out of documents and tags, and refuses its tarball", async () => {
  const publishedAt = publish("young", ["1.0.0", "1.1.0", "2.0.0-beta", "1.2.0"], DAY_MS);
  upstream.change("young", (document) => {
    document["dist-tags"]["next"] = "2.0.0-beta";
    document["dist-tags"]["hot"] = "1.2.0";
  });
  for (const accept of ["application/json", "application/vnd.npm.install-v1+json"]) {
    const { status, body, versions } = await packument("young", accept);
    expect(status).toBe(200);
    expect(versions).toEqual(["1.0.0", "1.1.0", "2.0.0-beta"]);
    expect(body["dist-tags"]).toEqual({ latest: "1.1.0", next: "2.0.0-beta" });
    expect(body.time["1.2.0"]).toBe(publishedAt);
    expect(body.time["1.1.0"]).toBe(PUBLISHED_AT);
    expect(body.policyRestrictions?.message).toContain("young 1.2.0 is held back until");
  }
  const tags = await host.fetch("/npm/-/package/young/dist-tags");
  expect(await tags.json()).toEqual({ latest: "1.1.0", next: "2.0.0-beta" });
  const refused = await tarball("young", "1.2.0");
  expect(refused.status).toBe(403);
  expect(refused.error).toMatch(/held back until .* waits 7 days .* source "slow"/);
  const one = await host.fetch("/npm/young/1.2.0");
  expect([one.status, await one.json()]).toMatchObject([403, { error: refused.error }]);
  expect((await tarball("young", "1.1.0")).status).toBe(200);
  expect(upstream.requests.filter((line) => line.endsWith("young-1.2.0.tgz"))).toEqual([]);
});

test("a held version appears when it is old enough, without a question to the source", async () => {
  publish("ripening", ["1.0.0", "1.1.0"], AGE_MS - 4_000);
  expect(await shown("ripening")).toEqual(["1.0.0"]);
  await expect.poll(() => shown("ripening"), SOON).toEqual(["1.0.0", "1.1.0"]);
  const { body } = await packument("ripening");
  expect(body["dist-tags"]).toEqual({ latest: "1.1.0" });
  expect(body.policyRestrictions).toBeUndefined();
  expect((await tarball("ripening", "1.1.0")).status).toBe(200);
  expect(upstream.requests.filter((line) => line === "GET /ripening")).toHaveLength(1);
});

test("an exception shows a held version until it is removed", async () => {
  publish("excepted", ["1.0.0", "1.1.0", "1.2.0"], DAY_MS);
  upstream.change("excepted", ({ time }) => {
    time["1.1.0"] = new Date(Date.now() - 2 * DAY_MS).toISOString();
  });
  expect(await shown("excepted")).toEqual(["1.0.0"]);
  const rule = { effect: "allow", pattern: "excepted", versions: ">=1.1.0" } as const;
  const id = await addRule(rule);
  await expect.poll(() => shown("excepted"), SOON).toEqual(["1.0.0", "1.1.0", "1.2.0"]);
  expect((await tarball("excepted", "1.1.0")).status).toBe(200);
  await removeRule(id);
  // What was fetched stays allowed.
  await expect.poll(() => shown("excepted"), SOON).toEqual(["1.0.0", "1.1.0"]);
  expect((await tarball("excepted", "1.1.0")).status).toBe(200);
  expect((await tarball("excepted", "1.2.0")).status).toBe(403);
});

test("refuses a denied version although it was fetched, until its rule ends", async () => {
  publish("denied", ["1.0.0", "1.1.0"], 30 * DAY_MS);
  expect((await packument("denied")).body["dist-tags"]).toEqual({ latest: "1.1.0" });
  expect((await tarball("denied", "1.1.0")).status).toBe(200);
  const then = `${new Date(Date.now() - DAY_MS).toISOString().slice(0, 16)}Z`;
  const shownThen = async () => {
    const response = await host.fetch(`/@${then}/npm/denied`);
    return Object.keys(((await response.json()) as Packument).versions);
  };
  expect(await shownThen()).toEqual(["1.0.0", "1.1.0"]);
  const id = await addRule({ pattern: "den*", versions: "1.1.0" });
  await expect.poll(() => shown("denied"), SOON).toEqual(["1.0.0"]);
  expect(await shownThen()).toEqual(["1.0.0"]);
  expect((await packument("denied")).body["dist-tags"]).toEqual({ latest: "1.0.0" });
  const refused = await tarball("denied", "1.1.0");
  expect(refused.status).toBe(403);
  expect(refused.error).toBe(
    "denied 1.1.0 is denied on this registry: It calls home. Use another version, or ask the " +
      "administrators of this registry.",
  );
  await removeRule(id);
  await expect.poll(() => shown("denied"), SOON).toEqual(["1.0.0", "1.1.0"]);
  expect((await tarball("denied", "1.1.0")).status).toBe(200);
});

test("refuses a package without an allowed version, with the reason", async () => {
  publish("fresh", ["1.0.0"], DAY_MS);
  const { status, body } = await packument("fresh");
  expect([status, body.error]).toEqual([
    403,
    expect.stringContaining("fresh 1.0.0 is held back until"),
  ]);
});

test("a version without a publish date counts from the first time it was seen", async () => {
  publish("undated", ["1.0.0", "1.1.0"], DAY_MS);
  upstream.change("undated", ({ time }) => {
    delete time["1.1.0"];
  });
  expect(await shown("undated")).toEqual(["1.0.0"]);
  expect((await tarball("undated", "1.1.0")).error).toContain("it was first seen here at");
});

test("a young version cannot be downloaded by being described wrongly", async () => {
  publish("misdescribed", ["1.0.0", "1.1.0"], DAY_MS);
  upstream.change("misdescribed", ({ versions }) => {
    Object.assign(versions["1.1.0"] ?? {}, { version: "1.0.0" });
  });
  expect(await shown("misdescribed")).toEqual(["1.0.0"]);
  expect((await tarball("misdescribed", "1.1.0")).status).toBe(404);
});

test("rules deny by scripts and licence, also packages that were published here", async () => {
  publish("scripted", ["1.0.0", "1.1.0", "1.2.0"], 30 * DAY_MS);
  upstream.change("scripted", ({ versions }) => {
    Object.assign(versions["1.1.0"] ?? {}, { scripts: { postinstall: "node steal.js" } });
    Object.assign(versions["1.2.0"] ?? {}, { license: "AGPL-3.0-only" });
  });
  const token = await host.makeToken({ scopes: "read,write" });
  const authorization = { authorization: `Bearer ${token}` };
  for (const version of ["1.0.0", "1.1.0"]) {
    const published = await host.fetch("/npm/own-scripted", {
      method: "PUT",
      headers: { ...authorization, "content-type": "application/json" },
      body: publishBody({ name: "own-scripted", version }),
    });
    expect(published.status).toBe(200);
  }
  expect(await shown("own-scripted")).toEqual(["1.0.0", "1.1.0"]);
  await addRule({ pattern: "scripted", conditions: { hasInstallScripts: true } });
  await addRule({ pattern: "scripted", conditions: { licenses: ["AGPL-*"] } });
  await addRule({ pattern: "own-scripted", versions: "1.1.0" });
  await expect.poll(() => shown("scripted"), SOON).toEqual(["1.0.0"]);
  await expect.poll(() => shown("own-scripted"), SOON).toEqual(["1.0.0"]);
  const found = await host.fetch("/npm/-/v1/search?text=own-scripted");
  expect(await found.json()).toMatchObject({ objects: [{ package: { version: "1.0.0" } }] });
  expect((await tarball("own-scripted", "1.1.0")).status).toBe(403);
  expect((await tarball("own-scripted", "1.0.0")).status).toBe(200);
  // Its writers still see it, to deprecate or unpublish it.
  const written = await host.fetch("/npm/own-scripted?write=true", { headers: authorization });
  expect(Object.keys(((await written.json()) as Packument).versions)).toEqual(["1.0.0", "1.1.0"]);
});
