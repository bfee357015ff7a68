import { writeFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf, publishAll } from "./packuments.ts";

const only = ["npm-11", "npm-12", "pnpm-12"] as const;
const here = only.filter((name) => testedClients().includes(name));
const npms = here.filter((name) => name !== "pnpm-12");

describe("unpublishing", () => {
  let clients: NpmClients;
  let bob: string;

  beforeAll(async () => {
    clients = await openNpmClients({ only, scopes: "read,write,delete" });
    bob = await clients.host.makeToken({ name: "bob", scopes: "read,write" });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  test.each(here)("%s unpublishes one version permanently", async (name) => {
    const client = clients.client(name);
    const called = `@acme/mistake-${name}`;
    await publishAll(client, called, ["1.0.0", "1.1.0"]);
    const unpublished = await client.run(["unpublish", `${called}@1.1.0`]);
    expect(unpublished.code, unpublished.output).toBe(0);
    await expectGolden(`${name}/unpublish`, client.requests());
    const left = await packumentOf(clients, called);
    expect([left["dist-tags"], Object.keys(left.versions)]).toEqual([
      { latest: "1.0.0" },
      ["1.0.0"],
    ]);

    await client.run(["unpublish", `${called}@1.1.0`]);
    expect(await packumentOf(clients, called)).toEqual(left);
    const again = await client.publish(await client.source(called, "1.1.0"));
    expect(again.code).not.toBe(0);
    expect(again.output).toMatch(/previously published versions: 1\.1\.0\. It was unpublished/);
  });

  test.each(npms)("%s unpublishes from the registry of a scope alone", async (name) => {
    const client = await clients.another(name);
    const called = `@other/${name}`;
    await publishAll(client, called, ["1.0.0", "1.1.0"]);
    const settings = join(client.home, ".npmrc");
    const text = await readFile(settings, "utf8");
    const nowhere = `${new URL(client.registry).origin}/nowhere/`;
    const scoped = text.replaceAll(/^registry\s*=.*$/gm, `@other:registry=${client.registry}`);
    await writeFile(settings, `${scoped}\nregistry=${nowhere}\n`);
    const { code, output } = await client.run(["unpublish", `${called}@1.1.0`]);
    expect(code, output).toBe(0);
    const requests = client.requests();
    expect(requests.at(-1)).toMatchObject({ method: "DELETE", status: 200 });
    expect(Object.keys((await packumentOf(clients, called)).versions)).toEqual(["1.0.0"]);
  });

  test.each(here)("%s unpublishes a package, whose name others get a day later", async (name) => {
    const client = clients.client(name);
    const called = `given-up-${name}`;
    await publishAll(client, called, ["1.0.0", "1.1.0"]);
    const unpublished = await client.run(["unpublish", called, "--force"]);
    expect(unpublished.code, unpublished.output).toBe(0);
    await expectGolden(`${name}/unpublish-all`, client.requests());
    expect(await packumentOf(clients, called)).toMatchObject({ error: "Not found" });

    const other = await clients.another(name, { token: bob });
    const taken = await other.publish(await other.source(called, "2.0.0"));
    expect(taken.code).not.toBe(0);
    expect(taken.output).toMatch(/is reserved for its former/);
    await publishAll(client, called, ["2.0.0"]);
  });

  test.each(npms)("%s names the missing right", async (name) => {
    const called = `kept-${name}`;
    await publishAll(clients.client(name), called, ["1.0.0", "1.1.0"]);
    const client = await clients.another(name, { token: bob });
    for (const what of [[`${called}@1.1.0`], [called, "--force"]]) {
      const { code, output } = await client.run(["unpublish", ...what]);
      expect(code).not.toBe(0);
      expect(output).toMatch(/E403[^]*The token lacks the scope delete/);
    }
    const { versions } = await packumentOf(clients, called);
    expect(Object.keys(versions)).toEqual(["1.0.0", "1.1.0"]);
  });
});
