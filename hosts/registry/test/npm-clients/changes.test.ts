import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import { expectGolden } from "./golden.ts";
import { quickClients, testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf, publishAll } from "./packuments.ts";

const npms = (["npm-11", "npm-12"] as const).filter((name) => testedClients().includes(name));
const deprecators = (["npm-11", "npm-12", "pnpm-12"] as const).filter((name) =>
  testedClients().includes(name),
);

describe("what becomes of published versions", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients();
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  test.each(quickClients())("%s shows that a version is there already", async (name) => {
    const client = clients.client(name);
    await publishAll(client, `once-${name}`, ["1.0.0"]);
    const other = await client.source(`once-${name}`, "1.0.0", { description: "other bytes" });
    const force = name.startsWith("npm") || name === "pnpm-10" ? ["--force"] : [];
    const again = await client.publish(other, ...force);
    expect(again.code, again.output).not.toBe(0);
    expect(again.output).toMatch(/cannot publish over the previously published versions|already/i);
  });

  test.each(deprecators)("%s deprecates versions and lifts it again", async (name) => {
    const client = clients.client(name);
    const called = `old-${name}`;
    await publishAll(client, called, ["1.0.0", "1.1.0", "2.0.0"]);
    const before = await packumentOf(clients, called);
    const deprecation = await client.run(["deprecate", `${called}@1`, "use 2"]);
    expect(deprecation.code, deprecation.output).toBe(0);
    await expectGolden(`${name}/deprecate`, client.requests());
    const { versions } = await packumentOf(clients, called);
    const texts = Object.values(versions).map((version) => version["deprecated"]);
    expect(texts).toEqual(["use 2", "use 2", undefined]);
    const { deprecated: _, ...rest } = versions["1.1.0"] ?? {};
    expect(rest).toEqual(before.versions["1.1.0"]);

    const lift =
      name === "npm-11" ? ["deprecate", `${called}@1`, ""] : ["undeprecate", `${called}@1`];
    const lifted = await client.run(lift);
    expect(lifted.code, lifted.output).toBe(0);
    expect((await packumentOf(clients, called)).versions).toEqual(before.versions);
  });

  // yarn 4 and bun say nothing of it.
  test.each(testedClients().filter((name) => name !== "yarn-4" && name !== "bun"))(
    "%s warns of a deprecated version",
    async (name) => {
      const called = `warned-${name}`;
      await publishAll(clients.client("npm-11"), called, ["1.0.0"]);
      await clients.client("npm-11").run(["deprecate", called, "dangerous thing"]);
      const client = clients.client(name);
      const { code, output } = await client.install(await client.project({ [called]: "1" }));
      expect(code, output).toBe(0);
      expect(output).toMatch(/deprecated|dangerous thing/);
    },
  );

  test.each((["npm-11", "pnpm-12"] as const).filter((name) => testedClients().includes(name)))(
    "%s stars, and nothing changes",
    async (name) => {
      const client = clients.client(name);
      const called = `shiny-${name}`;
      await publishAll(client, called, ["1.0.0"]);
      await client.run(["deprecate", called, "dull"]);
      const before = await packumentOf(clients, called);
      client.requests();
      const starred = await client.run(["star", called]);
      expect(starred.code, starred.output).toBe(0);
      const unstarred = await client.run(["unstar", called]);
      expect(unstarred.code, unstarred.output).toBe(0);
      await expectGolden(`${name}/star`, client.requests());
      expect(await packumentOf(clients, called)).toEqual(before);
      // pnpm requests stars only from the public registry.
      if (name === "pnpm-12") return;
      const stars = await client.run(["stars"]);
      expect(stars.code, stars.output).toBe(0);
    },
  );

  test.each(quickClients())("drops what %s sends of the server's fields", async (name) => {
    const client = clients.client(name);
    const called = `hostile-${name}`;
    const hostile = {
      deprecated: "by me",
      maintainers: [{ name: "mallory", email: "m@example.com" }],
      dist: { tarball: "http://evil.example/x.tgz", integrity: "sha512-x" },
      _npmUser: { name: "mallory" },
      users: { mallory: true },
    };
    const { code, output } = await client.publish(await client.source(called, "1.0.0", hostile));
    expect(code, output).toBe(0);
    const { versions, maintainers, users } = await packumentOf(clients, called);
    expect([maintainers, users]).toEqual([[{ name: "alice", email: "" }], undefined]);
    const version = versions["1.0.0"] ?? {};
    // Only this field is the publisher's.
    expect(version["deprecated"]).toBe("by me");
    expect(version["_npmUser"]).toEqual({ name: "alice", email: "" });
    expect(version["maintainers"]).toEqual([{ name: "alice", email: "" }]);
    const tarball = `${clients.host.url}/npm/${called}/-/${called}-1.0.0.tgz`;
    expect(version["dist"]).toMatchObject({ tarball });
  });

  extendedTest.each(npms)("%s shows owners, and what belongs to whom", async (name) => {
    const client = clients.client(name);
    const packageName = `@team-${name}/one`;
    await publishAll(client, packageName, ["1.0.0"]);
    expect((await client.run(["owner", "ls", packageName])).stdout.trim()).toBe("alice <>");
    const json = async (...words: readonly string[]) =>
      JSON.parse((await client.run([...words, "--json"])).stdout) as unknown;
    const team = `team-${name}`;
    expect(await json("access", "list", "packages", `@${team}`)).toEqual({
      [packageName]: "read-write",
    });
    expect(await json("access", "list", "packages", "alice")).toMatchObject({
      [packageName]: "read-write",
    });
    expect(await json("access", "list", "collaborators", packageName)).toEqual({
      alice: "read-write",
    });
    expect(await json("access", "get", "status", packageName)).toEqual({ [packageName]: "public" });
    expect((await client.run(["access", "set", "status=public", packageName])).code).toBe(0);
    const shut = await client.run(["access", "set", "status=private", packageName]);
    expect(shut.code, shut.output).toBe(0);
    expect(await json("access", "get", "status", packageName)).toEqual({
      [packageName]: "private",
    });
    expect((await clients.host.fetch(`/npm/${packageName.replace("/", "%2f")}`)).status).toBe(404);
    expect((await client.run(["access", "set", "status=public", packageName])).code).toBe(0);
    expect((await client.run(["access", "set", "mfa=none", packageName])).code).toBe(0);
    const factor = await client.run(["access", "set", "mfa=publish", packageName]);
    expect(factor.output).toMatch(/E403[^]*second factor/);
    expect(await json("org", "ls", team)).toEqual({ alice: "developer" });
    expect(await json("team", "ls", team)).toEqual([`${team}:developers`]);
    expect(await json("team", "ls", `${team}:developers`)).toEqual(["alice"]);
  });

  test.each(npms)("%s adds and removes owners, but for the last", async (name) => {
    const client = clients.client(name);
    const called = `@acme/owned-${name}`;
    await publishAll(client, called, ["1.0.0"]);
    await clients.host.makeToken({ name: "bob", scopes: "read" });
    const added = await client.run(["owner", "add", "bob", called]);
    expect(added.code, added.output).toBe(0);
    const both = [
      { name: "alice", email: "" },
      { name: "bob", email: "" },
    ];
    expect((await packumentOf(clients, called)).maintainers).toEqual(both);
    const removed = await client.run(["owner", "rm", "alice", called]);
    expect(removed.code, removed.output).toBe(0);
    await expectGolden(`${name}/owner`, client.requests());
    expect((await packumentOf(clients, called)).maintainers).toEqual([both[1]]);
    // npm itself refuses to remove the last one.
    expect((await client.run(["owner", "rm", "bob", called])).code).not.toBe(0);
    expect((await client.run(["owner", "add", "nobody", called])).output).toContain("E404");
    expect((await packumentOf(clients, called)).maintainers).toEqual([both[1]]);
  });

  extendedTest.each(npms)("%s learns that rights are those of tokens", async (name) => {
    const client = clients.client(name);
    await publishAll(client, `@acme/fixed-${name}`, ["1.0.0"]);
    const refused = [
      ["org", "set", "acme", "bob", "admin"],
      ["org", "rm", "acme", "bob"],
      ["team", "create", "acme:new"],
      ["team", "destroy", "acme:new"],
      ["team", "add", "acme:developers", "bob"],
      ["team", "rm", "acme:developers", "bob"],
      ["access", "grant", "read-only", "acme:developers", `@acme/fixed-${name}`],
      ["access", "revoke", "acme:developers", `@acme/fixed-${name}`],
    ];
    for (const words of refused) {
      const { code, output } = await client.run(words);
      expect([words, code]).toEqual([words, 1]);
      expect(output).toMatch(/E403[^]*sealhouse token create/);
    }
  });
});
