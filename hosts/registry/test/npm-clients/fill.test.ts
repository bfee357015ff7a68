import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSource } from "../upstream/add-source.ts";
import { commandOf } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const cleanUp = new AsyncDisposableStack();
let upstream: ScriptedRegistry;
let clients: NpmClients;

describe.skipIf(!commandOf("npm-12"))("a mirror that was filled from a lock file", () => {
  beforeAll(async () => {
    upstream = cleanUp.use(await openScriptedRegistry());
    upstream.publish("top", "1.0.0", "1.1.0");
    upstream.publish("@acme/bottom", "1.0.0");
    clients = cleanUp.use(await openNpmClients({ only: ["npm-12"] }));
    await addSource(clients.host, { name: "upstream", protocol: "npm", url: upstream.url });
  });
  afterAll(() => cleanUp.disposeAsync());

  test("npm ci installs from it without the source", async () => {
    const client = clients.client("npm-12");
    const project = await client.project({ top: "^1.0.0", "@acme/bottom": "1.0.0" });
    // Only the lock file: nothing is fetched through the host.
    const locked = [
      "install",
      "--package-lock-only",
      "--ignore-scripts",
      "--registry",
      upstream.url,
    ];
    const { code, output } = await client.run(locked, { cwd: project });
    expect(code, output).toBe(0);

    const filled = await clients.host.cli("mirror", "--from", join(project, "package-lock.json"));
    expect(filled).toMatchObject({ code: 0, stdout: expect.stringContaining("2 fetched") });
    await upstream.stop();

    await client.clearCache();
    await rm(join(project, "node_modules"), { recursive: true, force: true });
    const installed = await client.run(["ci", "--replace-registry-host=always"], { cwd: project });
    expect(installed.code, installed.output).toBe(0);
    expect(client.requests().filter(({ path }) => path.endsWith(".tgz"))).toHaveLength(2);
  });
});
