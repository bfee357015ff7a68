import { openTestPlace, stopTestCluster, testableDatabases } from "@sealhouse/database/testing";
import type { TestPlace } from "@sealhouse/database/testing";
import { PROTOCOLS } from "@sealhouse/identity";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";
import { OWNED_NAMES, openOwnedRegistry, ownedSettings, publishTo } from "./owned-registry.ts";
import type { OwnedRegistry } from "./owned-registry.ts";

const TYPES = testableDatabases().filter((type) => type === "Sqlite" || type === "PostgreSQL");

afterAll(stopTestCluster);

describe.each(TYPES)("owners on %s", (type) => {
  const cleanUp = new AsyncDisposableStack();
  let place: TestPlace;
  let registry: OwnedRegistry;
  let host: TestHost;
  const tokens = { alice: "", bob: "", account: "", operator: "" };

  beforeAll(async () => {
    place = cleanUp.use(await openTestPlace(type));
    host = cleanUp.use(await startHost({ env: ownedSettings(place.config) }));
    registry = cleanUp.use(await openOwnedRegistry(place.config));
    const { alice, bob, account } = registry;
    tokens.alice = await registry.tokenOf("alice laptop", { userId: alice.id });
    tokens.bob = await registry.tokenOf("bob laptop", { userId: bob.id });
    tokens.account = await registry.tokenOf("builds", { serviceAccountId: account });
    tokens.operator = await registry.tokenOf("operators");
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  const handlesOf = async (protocol: (typeof PROTOCOLS)[number], name: string) => {
    const owners = await registry.database.ownership.ownerships.list({ protocol, name });
    return owners.map(({ handle, level }) => `${handle} ${level}`);
  };

  test.each(PROTOCOLS)(
    "in %s the first publisher owns and strangers get one sentence",
    async (protocol) => {
      const publish = (token: string, version: string) =>
        publishTo(host, protocol, { token, version });
      const name = OWNED_NAMES[protocol];
      expect((await publish(tokens.alice, "1.0.0")).status).toBeLessThan(300);
      const refused = await publish(tokens.bob, "1.1.0");
      expect(refused.status).toBe(403);
      expect(refused.text).toContain(`${name} belongs to other owners, and only they publish it.`);
      expect((await publish(tokens.alice, "1.2.0")).status).toBeLessThan(300);
      expect((await publish(tokens.operator, "1.3.0")).status).toBeLessThan(300);
      expect(await handlesOf(protocol, name)).toEqual(["alice manage"]);
      const { bob, database } = registry;
      const named = { protocol, name };
      await database.ownership.ownerships.grant(
        named,
        { ...bob, level: "publish" },
        { actor: "t" },
      );
      expect((await publish(tokens.bob, "1.4.0")).status).toBeLessThan(300);
      expect(await handlesOf(protocol, name)).toEqual(["alice manage", "bob publish"]);
    },
  );

  test.each(PROTOCOLS)(
    "in %s the team of a service account owns what it creates",
    async (protocol) => {
      const name = { nuget: "built", npm: "built", oci: "built/app" }[protocol];
      const publish = (token: string, version: string) =>
        publishTo(host, protocol, { token, version, name });
      expect((await publish(tokens.account, "1.0.0")).status).toBeLessThan(300);
      expect(await handlesOf(protocol, name)).toEqual(["builders manage"]);
      expect((await publish(tokens.alice, "1.1.0")).status).toBeLessThan(300);
      expect((await publish(tokens.bob, "1.2.0")).status).toBe(403);
    },
  );

  test("names of operators' tokens have no owner, and a reserved name waits for its owner", async () => {
    const name = "plain";
    const publish = (token: string, version: string, id = name) =>
      publishTo(host, "nuget", { token, version, name: id });
    expect((await publish(tokens.operator, "1.0.0")).status).toBe(201);
    const refused = await publish(tokens.bob, "1.1.0");
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("has no owner")]);
    const reserved = await host.cli("reserve", "add", "nuget", "Kept.*", "bob");
    expect([reserved.code, reserved.stderr]).toEqual([0, "Kept.* is now reserved for bob.\n"]);
    const early = await publish(tokens.alice, "1.0.0", "Kept.Tools");
    expect([early.status, early.text]).toEqual([403, expect.stringContaining("is reserved for")]);
    expect((await publish(tokens.bob, "1.0.0", "Kept.Tools")).status).toBe(201);
    expect((await publish(tokens.alice, "1.0.0", "KeptAside")).status).toBe(201);
  });

  test("shows owners instead of publishers in NuGet's search and npm's packument", async () => {
    const search = await host.fetch("/v3/search?q=built", read(tokens.operator));
    const { data } = (await search.json()) as { data: readonly { owners: readonly string[] }[] };
    expect(data.map(({ owners }) => owners)).toEqual([["builders"]]);
    const document = await host.fetch("/npm/built", read(tokens.operator));
    const { maintainers } = (await document.json()) as { maintainers: readonly unknown[] };
    expect(maintainers).toEqual([{ name: "builders", email: "" }]);
  });

  test("moves a name when the other side accepts the transfer", async () => {
    const name = "moving";
    const publish = (token: string, version: string) =>
      publishTo(host, "npm", { token, version, name });
    await publish(tokens.alice, "1.0.0");
    const offer = await host.cli("transfer", "offer", "npm", name, "bob", "--from", "alice");
    const id = offer.stdout.trim();
    expect((await publish(tokens.bob, "1.1.0")).status).toBe(403);
    expect((await host.cli("transfer", "accept", id)).code).toBe(0);
    expect((await publish(tokens.bob, "1.1.0")).status).toBe(200);
    expect((await publish(tokens.alice, "1.2.0")).status).toBe(403);
    const last = await host.cli("owner", "remove", "npm", name, "bob");
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining("must keep an owner")]);
    const list = await host.cli("owner", "list", "npm", name);
    expect(list.stdout).toBe("bob  user  manage\n");
  });

  test("of two first publishers at the same time, one owns the name", async () => {
    const statuses = await Promise.all(
      [tokens.alice, tokens.bob].map(
        async (token, index) =>
          (await publishTo(host, "nuget", { token, version: `1.${index}.0`, name: "raced" }))
            .status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([201, 403]));
    expect(await handlesOf("nuget", "raced")).toHaveLength(1);
  });

  test("reports in the mode report, imports publishers, and then refuses", async () => {
    const older = await registry.tokenOf("alice", { owner: "alice" });
    await publishTo(host, "npm", { token: older, version: "1.0.0", name: "older" });
    await publishTo(host, "oci", { token: older, version: "1.0.0", name: "older/app" });
    const env = { ...ownedSettings(place.config), Host__Access__Owners: "report" };
    await using reporting = await startHost({ env, folder: host.folder });
    const publish = (token: string, version: string) =>
      publishTo(reporting, "npm", { token, version, name: "older" });
    // Before the event that the report shows, so that the audit log has it by then.
    const image = { token: tokens.bob, version: "1.1.0", name: "older/app" };
    expect((await publishTo(reporting, "oci", image)).status).toBeLessThan(300);
    expect((await publish(tokens.bob, "1.1.0")).status).toBe(200);
    await expect
      .poll(async () => (await host.cli("owner", "report")).stdout, { timeout: 20_000 })
      .toMatch(/bob laptop {2}publish {2}npm\/older {2}older has no owner/);
    const imported = await host.cli("owner", "import");
    expect(imported.stderr).toMatch(/^2 names have owners now\./);
    expect(await handlesOf("oci", "older/app")).toEqual(["alice manage", "bob publish"]);
    expect(imported.stdout).toContain("nuget  plain\n");
    expect(await handlesOf("npm", "older")).toEqual(["alice manage"]);
    const refused = await publishTo(host, "npm", {
      token: tokens.bob,
      version: "1.2.0",
      name: "older",
    });
    expect(refused.status).toBe(403);
  });
});

function read(token: string): RequestInit {
  return { headers: { authorization: `Basic ${Buffer.from(`t:${token}`).toString("base64")}` } };
}
