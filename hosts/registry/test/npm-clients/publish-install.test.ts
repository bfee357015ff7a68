import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import { installedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

describe("publishing and installing with each client", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients();
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  test.concurrent.each(installedClients())("%s publishes what it can install", async (name) => {
    const client = clients.client(name);
    for (const called of [`plain-${name}`, `@acme/${name}`]) {
      const published = await client.publish(await client.source(called, "1.0.0"));
      expect(published.code, published.output).toBe(0);
    }
    await expectGolden(`${name}/publish`, client.requests());

    // What npm has published it would not download again.
    await client.clearCache();
    const project = await client.project({ [`plain-${name}`]: "1", [`@acme/${name}`]: "^1.0.0" });
    const installed = await client.install(project);
    expect(installed.code, installed.output).toBe(0);
    expect(loaded(project, `@acme/${name}`)).toBe(`@acme/${name}@1.0.0`);
    await expectGolden(`${name}/install`, client.requests());
  });
});

function loaded(project: string, name: string): unknown {
  return createRequire(join(project, "package.json"))(name);
}
