import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { openRegistry } from "../../src/registry.ts";
import { loadConfig } from "../../src/settings/load.ts";

const SILENT = createLog({ level: "None", format: "Json" }, () => undefined);

let folder = "";
let upstream: ScriptedRegistry;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-configured-source-"));
  upstream = await openScriptedRegistry();
  upstream.publish("left-pad", "1.0.0");
});
afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Opens a host whose settings name the registry. */
async function openHost(env: Readonly<Record<string, string>> = {}) {
  const settings = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    PackageSources__0__Name: "npmjs",
    PackageSources__0__Protocol: "npm",
    PackageSources__0__FeedUrl: upstream.url,
    PackageSources__0__AllowPrivateNetwork: "true",
    ...env,
  };
  const { config } = loadConfig({ env: settings, workingFolder: folder });
  const host = await openRegistry(config, { log: SILENT });
  const get = (path: string) =>
    host.fetch(new Request(`http://host${path}`, { headers: { accept: "application/json" } }));
  return {
    get,
    statusOf: async (path: string) => (await get(path)).status,
    sourceHealth: async () => {
      const answer = await get("/health");
      const { checks } = (await answer.json()) as Health;
      return { status: answer.status, source: checks["source:npmjs"]?.status };
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

type Health = { readonly checks: Readonly<Record<string, { readonly status: string }>> };

test("a configured source serves packages, and its outage degrades the host", async () => {
  await using host = await openHost();
  expect(await host.sourceHealth()).toEqual({ status: 200, source: "healthy" });
  expect(upstream.requests).toEqual([]);
  expect(await host.statusOf("/npm/left-pad")).toBe(200);
  expect(await host.sourceHealth()).toEqual({ status: 200, source: "healthy" });
  await upstream.stop();
  expect(await host.statusOf("/npm/unknown")).toBe(503);
  expect(await host.statusOf("/npm/left-pad")).toBe(200);
  expect(await host.sourceHealth()).toEqual({ status: 200, source: "degraded" });
  const metrics = await (await host.get("/metrics")).text();
  expect(metrics).toMatch(/^upstream_failed_calls_total\{feed="default",source="npmjs"\} [1-9]/m);
  expect(metrics).toMatch(/^upstream_documents\{feed="default"\} 1$/m);
});

test.each([
  ["a disabled mirror", { Mirror__Enabled: "false" }],
  ["a disabled source", { PackageSources__0__IsEnabled: "false" }],
  ["an offline host", { Mirror__Offline: "true" }],
  ["a source for other names", { PackageSources__0__Allow__0: "@acme/*" }],
])("%s calls no source", async (_, env) => {
  await using host = await openHost(env);
  expect(await host.statusOf("/npm/left-pad")).toBe(404);
  expect(upstream.requests).toEqual([]);
});

test("a refused tarball makes the host compare the packument at once", async () => {
  await using host = await openHost();
  type Dist = { readonly integrity?: string };
  const integrity = async () => {
    const packument = (await (await host.get("/npm/left-pad")).json()) as {
      readonly versions: Readonly<Record<string, { readonly dist: Dist }>>;
    };
    return packument.versions["1.0.0"]?.dist.integrity;
  };
  const lie = `sha512-${Buffer.alloc(64).toString("base64")}`;
  let truth: unknown;
  upstream.change("left-pad", ({ versions }) => {
    const { dist } = versions["1.0.0"] ?? { dist: {} };
    truth = dist["integrity"];
    dist["integrity"] = lie;
  });
  expect(await integrity()).toBe(lie);
  upstream.change("left-pad", ({ versions }) => {
    Object.assign(versions["1.0.0"]?.dist ?? {}, { integrity: truth });
  });
  const tarball = "/npm/left-pad/-/left-pad-1.0.0.tgz";
  const refused = await host.get(tarball);
  await refused.bytes().catch(() => undefined);
  await expect.poll(integrity).toBe(truth);
  const right = await host.get(tarball);
  expect(right.status).toBe(200);
  expect((await right.bytes()).length).toBeGreaterThan(100);
});
