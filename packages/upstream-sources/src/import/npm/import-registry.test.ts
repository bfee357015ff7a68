import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openNpmSource } from "../../sources/source-clients.ts";
import { testSource } from "../../testing/memory-parts.ts";
import { openScriptedRegistry, PUBLISHED_AT } from "../../testing/scripted-npm.ts";
import type { Fault, ScriptedRegistry } from "../../testing/scripted-npm.ts";
import { openImportProgress } from "../progress.ts";
import { NOW, openTarget } from "./import-target.test.support.ts";
import type { NpmSource } from "./npm-source.ts";
import { openNpmRegistry } from "./registry-source.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-import-registry-"));
});
afterAll(() => rm(folder, { recursive: true }));

function registrySource(registry: ScriptedRegistry, scopes: readonly string[] = []): NpmSource {
  const source = testSource("npm", new URL(registry.url));
  const patience = { attemptsMax: 1, waitMaxMs: 0 };
  const client = openNpmSource(source, { fetch: (url, init) => fetch(url, init), patience });
  return openNpmRegistry(client, scopes);
}

const answering =
  (path: string | RegExp, code: number, body = ""): Fault =>
  (request, response) => {
    if (request.url?.match(path) === null) return false;
    response.writeHead(code).end(body);
    return true;
  };

test("imports the packages that a registry lists, and resumes after failures", async () => {
  await using registry = await openScriptedRegistry();
  registry.publish("@acme/demo", "1.0.0", "1.1.0");
  registry.publish("other", "1.0.0");
  const list = answering(/^\/-\/all$/, 200, '{"@acme/demo":{},"other":{},"_updated":7}');
  const broken = answering(/1\.1\.0\.tgz$/, 500);
  registry.fault = (...exchange) => list(...exchange) || broken(...exchange);
  const path = join(folder, "progress.json");
  const progress = () =>
    openImportProgress(path, { source: registry.url, now: () => NOW, fromStart: false });
  const target = openTarget();
  const first = await target.run(registrySource(registry), { progress: await progress() });
  expect(first).toMatchObject({ imported: 2, failed: 1 });
  expect(first.failures[0]?.name).toBe("@acme/demo@1.1.0");
  registry.fault = list;
  registry.requests.length = 0;
  const second = await target.run(registrySource(registry), { progress: await progress() });
  expect(second).toMatchObject({ imported: 1, existing: 1, failed: 0 });
  expect(registry.requests).not.toContain("GET /other");
  const third = await target.run(registrySource(registry), { progress: await progress() });
  expect(third).toMatchObject({ imported: 0, existing: 3 });
  const demo = await target.find("@acme/demo");
  expect(demo.versions.map(({ publishedAt }) => publishedAt.toISOString())).toEqual([
    PUBLISHED_AT,
    PUBLISHED_AT,
  ]);
});

test.each([404, 400, 500])("searches for scopes after the answer %i for the list", async (code) => {
  await using registry = await openScriptedRegistry();
  registry.publish("@acme/demo", "1.0.0");
  registry.publish("other", "1.0.0");
  const search = JSON.stringify({ total: 1, objects: [{ package: { name: "@acme/demo" } }] });
  const list = answering(/^\/-\/all$/, code);
  const found = answering(/^\/-\/v1\/search\?text=scope%3Aacme&size=250&from=0$/, 200, search);
  registry.fault = (...exchange) => list(...exchange) || found(...exchange);
  const target = openTarget();
  const source = registrySource(registry, ["@acme"]);
  const report = await target.run(source, { pattern: "@acme/*" });
  expect(report).toMatchObject({ imported: 1 });
  expect(target.notices[0]).toContain("The registry has no list of names");
});

test.each([
  ["refuses credentials", answering(/all/, 401), "needs other credentials (401)"],
  ["cannot be reached", undefined, "ECONNREFUSED"],
])("a registry that %s is an error", async (_, fault, expected) => {
  await using registry = await openScriptedRegistry();
  registry.fault = fault;
  if (!fault) await registry.stop();
  await expect(openTarget().run(registrySource(registry))).rejects.toThrow(expected);
});

test("reports each name that a registry should not have", async () => {
  await using registry = await openScriptedRegistry();
  registry.publish("demo", "1.0.0");
  const names = ["demo", "a b", "../up", "_x", "demo/../x"];
  const list = Object.fromEntries(names.map((name) => [name, { name }]));
  registry.fault = answering(/^\/-\/all$/, 200, JSON.stringify(list));
  const report = await openTarget().run(registrySource(registry));
  expect(report).toMatchObject({ imported: 1, refused: 4, isComplete: false });
});

test("asks for statements on a version only where its document has some", async () => {
  await using registry = await openScriptedRegistry();
  registry.publish("plain", "1.0.0");
  const target = openTarget();
  await target.run(registrySource(registry), { packages: "plain" });
  expect(registry.requests).toEqual(["GET /plain", "GET /plain/-/plain-1.0.0.tgz"]);
});

test("a dry run of a registry asks for no tarball", async () => {
  await using registry = await openScriptedRegistry();
  registry.publish("widgets", "1.0.0", "1.1.0");
  const target = openTarget();
  const options = { dryRun: true, packages: "widgets" };
  const report = await target.run(registrySource(registry), options);
  expect(report).toMatchObject({ imported: 0, importable: 2, refused: 0 });
  expect(registry.requests).toEqual(["GET /widgets"]);
});
