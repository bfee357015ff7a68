import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import type { ClientName } from "./installed-clients.ts";
import { quickClients, testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf, publishAll } from "./packuments.ts";

/** In the words of each client; bun has no command for tags. */
const WORDS: Readonly<Partial<Record<ClientName, readonly string[]>>> = {
  "npm-11": ["dist-tag"],
  "npm-12": ["dist-tag"],
  "pnpm-10": ["dist-tag"],
  "pnpm-12": ["dist-tag"],
  "yarn-1": ["tag"],
  "yarn-4": ["npm", "tag"],
};

describe("tags of versions", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients();
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  const npms = testedClients().filter((name) => name === "npm-11" || name === "npm-12");
  const taggers = testedClients().filter((name) => WORDS[name]);

  test.each(taggers)("%s adds, lists and removes a tag", async (name) => {
    const client = clients.client(name);
    const called = `tagged-${name}`;
    await publishAll(clients.client("npm-11"), called, ["1.0.0", "1.1.0"]);
    const cwd = await client.project({});
    if (name === "yarn-4") await client.install(cwd);
    client.requests();
    const tag = (...words: readonly string[]) =>
      client.run([...(WORDS[name] ?? []), ...words], { cwd });
    const tags = async () => (await packumentOf(clients, called))["dist-tags"];

    const added = await tag("add", `${called}@1.0.0`, "stable");
    expect(added.code, added.output).toBe(0);
    expect(await tags()).toEqual({ latest: "1.1.0", stable: "1.0.0" });
    const listed = await tag(
      ...(name === "yarn-1" || name === "yarn-4" ? ["list"] : ["ls"]),
      called,
    );
    expect(listed.output).toContain("stable");
    const removed = await tag(
      ...(name === "yarn-4" || name === "yarn-1" ? ["remove"] : ["rm"]),
      called,
      "stable",
    );
    expect(removed.code, removed.output).toBe(0);
    expect(await tags()).toEqual({ latest: "1.1.0" });
    await expectGolden(`${name}/tags`, client.requests());

    expect((await tag("add", `${called}@1.0.0`, "1.x")).code).not.toBe(0);
    expect((await tag("add", `${called}@9.9.9`, "stable")).code).not.toBe(0);
    expect(await tags()).toEqual({ latest: "1.1.0" });
  });

  test.each(npms)("%s learns that latest only moves", async (name) => {
    const client = clients.client(name);
    await publishAll(client, `latest-${name}`, ["1.0.0"]);
    const removed = await client.run(["dist-tag", "rm", `latest-${name}`, "latest"]);
    expect(removed.output).toMatch(/E403[^]*latest cannot be removed, only moved/);
    const unknown = await client.run(["dist-tag", "add", `latest-${name}@9.9.9`, "other"]);
    expect(unknown.output).toContain("E404");
  });

  test.each(quickClients())(
    "the first version of %s is the latest, not a preview",
    async (name) => {
      const client = clients.client(name);
      const called = `first-${name}`;
      const publish = async (version: string, ...flags: readonly string[]) => {
        const { code, output } = await client.publish(
          await client.source(called, version),
          ...flags,
        );
        expect(code, output).toBe(0);
      };
      await publish("1.0.0-beta.1", "--tag", "beta");
      const tags = async () => (await packumentOf(clients, called))["dist-tags"];
      expect(await tags()).toEqual({ beta: "1.0.0-beta.1", latest: "1.0.0-beta.1" });
      await publish("1.0.0");
      await publish("1.1.0-rc.1", "--tag", "next");
      const all = { beta: "1.0.0-beta.1", latest: "1.0.0", next: "1.1.0-rc.1" };
      expect(await tags()).toEqual(all);
    },
  );
});
