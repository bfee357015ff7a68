import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { afterAll, expect, test } from "vitest";
import type { Extension } from "./extension.ts";
import { createLog } from "./log.ts";
import { openRegistry } from "./registry.ts";
import { loadConfig } from "./settings/load.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-registry-"));
afterAll(() => rm(folder, { recursive: true }));

const log = createLog({ level: "None", format: "Json" }, () => undefined);

const inMemory: Extension = {
  name: "memory",
  storageTypes: {
    Memory: {
      settings: {
        Storage__Label: { kind: { type: "text" }, fallback: "none", about: "A label." },
      },
      async open({ values }) {
        if (values["Storage__Label"] !== "mine") throw new Error("Storage__Label must be mine");
        return createMemoryStore();
      },
    },
  },
};

function configOf(env: Record<string, string>, extensions: readonly Extension[] = []) {
  const all = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder, ...env };
  return loadConfig({ env: all, workingFolder: folder, extensions }).config;
}

test("a composed registry answers without a socket, and closes what it opened", async () => {
  const registry = await openRegistry(configOf({}), { log });
  const answer = await registry.fetch(new Request("http://localhost/v3/index.json"));
  expect(answer.status).toBe(200);
  await registry[Symbol.asyncDispose]();
  const closed = await registry.fetch(new Request("http://localhost/health"));
  expect(closed.status).toBe(503);
});

test("a second slash before the path of the npm registry is ignored", async () => {
  await using registry = await openRegistry(configOf({}), { log });
  const answer = await registry.fetch(new Request("http://localhost/npm//-/ping"));
  expect(answer.status).toBe(200);
});

test("/.well-known/security.txt names the contact of the operator", async () => {
  const request = () => new Request("http://localhost/.well-known/security.txt");
  const env = { Host__SecurityContact: "security@acme.example" };
  await using registry = await openRegistry(configOf(env), { log });
  const answer = await registry.fetch(request());
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; charset=utf-8/i);
  expect(await answer.text()).toMatch(/^Contact: mailto:security@acme\.example\nExpires: 20/);
  await registry[Symbol.asyncDispose]();
  await using silent = await openRegistry(configOf({}), { log });
  expect((await silent.fetch(request())).status).toBe(404);
});

test("a wrong contact is a problem of the settings", () => {
  expect(() => configOf({ Host__SecurityContact: "the operators" })).toThrow(
    /Host__SecurityContact.*is not a mail address/,
  );
});

test("a protocol that is off has no paths", async () => {
  const config = configOf({ Feed__Npm__Enabled: "false", Feed__Oci__Default__Enabled: "false" });
  await using registry = await openRegistry(config, { log });
  for (const path of ["/npm/-/ping", "/v2/", "/token"]) {
    expect((await registry.fetch(new Request(`http://localhost${path}`))).status).toBe(404);
  }
  const report = await registry.fetch(new Request("http://localhost/health/feeds"));
  expect(await report.json()).toMatchObject({ surfaces: [{ surfaceId: "nuget" }] });
});

test("an extension's storage is a value that is passed, and its settings are known", async () => {
  const env = { Storage__Type: "memory", Storage__Label: "mine" };
  const { config, warnings } = loadConfig({
    env: { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: join(folder, "ext"), ...env },
    workingFolder: folder,
    extensions: [inMemory],
  });
  expect(warnings).toEqual([]);
  await using registry = await openRegistry(config, { log, extensions: [inMemory] });
  expect((await registry.fetch(new Request("http://localhost/health"))).status).toBe(200);
  expect(await readdir(join(folder, "ext"))).not.toContain("packages");
});

test("closes opened parts after a failure half-way", async () => {
  const config = configOf({ Storage__Type: "Memory", Storage__Label: "other" }, [inMemory]);
  await expect(openRegistry(config, { log, extensions: [inMemory] })).rejects.toThrow(
    /must be mine/,
  );
});
