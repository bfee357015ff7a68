import { openDatabase } from "@sealhouse/database";
import type { PolicyRule } from "@sealhouse/upstream-sources";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openScriptedRegistry, PUBLISHED_AT } from "@sealhouse/upstream-sources/testing";
import type { Packument, ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { addSource } from "./add-source.ts";

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

test("a rule applies to packages of this registry, also in search, but not to writers", async () => {
  const token = await host.makeToken({ scopes: "read,write" });
  const authorization = { authorization: `Bearer ${token}` };
  for (const version of ["1.0.0", "1.1.0"]) {
    const published = await host.fetch("/npm/own-ruled", {
      method: "PUT",
      headers: { ...authorization, "content-type": "application/json" },
      body: publishBody({ name: "own-ruled", version }),
    });
    expect(published.status).toBe(200);
  }
  expect(await shown("own-ruled")).toEqual(["1.0.0", "1.1.0"]);
  await addRule({ pattern: "own-ruled", versions: "1.1.0" });
  await expect.poll(() => shown("own-ruled"), SOON).toEqual(["1.0.0"]);
  const found = await host.fetch("/npm/-/v1/search?text=own-ruled");
  expect(await found.json()).toMatchObject({ objects: [{ package: { version: "1.0.0" } }] });
  expect((await tarball("own-ruled", "1.1.0")).status).toBe(403);
  const written = await host.fetch("/npm/own-ruled?write=true", { headers: authorization });
  expect(Object.keys(((await written.json()) as Packument).versions)).toEqual(["1.0.0", "1.1.0"]);
});
