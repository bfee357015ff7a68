import { setTimeout as wait } from "node:timers/promises";
import { openTestPlace, leaveTestServers } from "@sealhouse/database/testing";
import type { TestPlace } from "@sealhouse/database/testing";
import { PROTOCOLS } from "@sealhouse/identity";
import { openIdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import type { IdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";
import { OWNED_NAMES, openOwnedRegistry, ownedSettings, publishTo } from "./owned-registry.ts";
import type { OwnedRegistry } from "./owned-registry.ts";
import { sendHalf } from "./writes-under-way.ts";

// packages/database has what rows say of owners, on every database: the contract of ownership,
// first-owner.database.test.ts and every-write.database.test.ts.

afterAll(leaveTestServers);

describe("owners on PostgreSQL", () => {
  const cleanUp = new AsyncDisposableStack();
  let place: TestPlace;
  let registry: OwnedRegistry;
  let host: TestHost;
  let issuer: IdTokenIssuerStandIn;
  const tokens = { alice: "", bob: "", account: "", operator: "" };

  beforeAll(async () => {
    place = cleanUp.use(await openTestPlace("PostgreSQL"));
    issuer = cleanUp.use(await openIdTokenIssuerStandIn());
    issuer.serve(RUN);
    const trust = {
      Feed__Npm__TrustedPublishing__Audiences__0: "npm:feed.test",
      Feed__Npm__TrustedPublishing__GitHub__Issuer: issuer.issuer,
      Host__OutgoingRequests__AllowPrivateAddresses: "true",
    };
    host = cleanUp.use(await startHost({ env: { ...ownedSettings(place.config), ...trust } }));
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
    const part = ["Kept.Web.*", "alice", "--delegated-from", "bob"];
    expect((await host.cli("reserve", "add", "nuget", ...part)).code).toBe(0);
    const [id = ""] = (await host.cli("reserve", "list")).stdout.split(" ");
    const removed = await host.cli("reserve", "remove", id);
    expect(removed.stderr.split("\n")).toEqual([
      `Removed the reservation ${id}.`,
      "Also removed kept.web.* of alice, which was passed on from it.",
      "",
    ]);
  });

  test("shows owners instead of publishers in NuGet's search and npm's packument", async () => {
    const search = await host.fetch("/v3/search?q=built", read(tokens.operator));
    const { data } = (await search.json()) as { data: readonly { owners: readonly string[] }[] };
    expect(data.map(({ owners }) => owners)).toEqual([["builders"]]);
    const document = await host.fetch("/npm/built", read(tokens.operator));
    const { maintainers } = (await document.json()) as { maintainers: readonly unknown[] };
    expect(maintainers).toEqual([{ name: "builders", email: "" }]);
  });

  test("npm owner ls and the page of a package show the same owners", async () => {
    const name = "@acme/shown";
    const headers = new Headers(read(tokens.alice).headers);
    headers.set("accept", "application/json");
    const shown = async () => {
      // What `npm owner ls` reads.
      const document = await host.fetch(`/npm/${name.replace("/", "%2f")}`, { headers });
      const { maintainers } = (await document.json()) as { maintainers: readonly Named[] };
      const page = await (await host.fetch(`/npm-packages/${name}`, read(tokens.alice))).text();
      const [, links = ""] = /<dt>Maintainers<\/dt>\s*<dd>(.*?)<\/dd>/s.exec(page) ?? [];
      const onPage = [...links.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, handle]) => handle);
      return { npm: maintainers.map((maintainer) => maintainer.name), page: onPage };
    };
    const same = (...handles: readonly string[]) => ({ npm: handles, page: handles });
    await publishTo(host, "npm", { token: tokens.alice, version: "1.0.0", name });
    expect(await shown()).toEqual(same("alice"));
    const change = (...words: readonly string[]) => host.cli("owner", ...words);
    expect((await change("add", "npm", name, "builders")).code).toBe(0);
    expect((await change("add", "npm", name, "bob", "--level", "read")).code).toBe(0);
    expect(await shown()).toEqual(same("alice", "builders"));
    expect((await change("remove", "npm", name, "alice")).code).toBe(0);
    expect(await shown()).toEqual(same("builders"));
  });

  test("moves a name when the other side accepts the transfer", async () => {
    const name = "moving";
    const publish = (token: string, version: string) =>
      publishTo(host, "npm", { token, version, name });
    await publish(tokens.alice, "1.0.0");
    const long = await host.cli("transfer", "offer", "npm", name, "bob", "--expires", "31d");
    expect([long.code, long.stderr]).toEqual([1, expect.stringContaining("within 30 days")]);
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

  test("a batch publishes only names of its publisher", async () => {
    const batch = async (token: string, version: string, ...names: readonly string[]) => {
      const packages = names.map((name) => publishBody({ name, version }));
      return sendHalf(host, {
        name: "batch",
        method: "PUT",
        path: "/npm/-/pnpr/v0/publish",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: Buffer.from(`{"packages":[${packages.join(",")}]}`),
        seen: async () => "",
      });
    };
    expect(await (await batch(tokens.alice, "1.0.0", "batch-a")).finish()).toMatchObject(DONE);
    const refusedFor = (name: string) => ({
      status: 403,
      text: expect.stringContaining(`${name} belongs to other owners, and only they publish it.`),
    });
    const mixed = await batch(tokens.bob, "1.1.0", "batch-b", "batch-a");
    expect(await mixed.finish()).toMatchObject(refusedFor("batch-a"));
    // The first package is new when its document arrives, and alice's at the end.
    const late = await batch(tokens.bob, "1.1.0", "batch-d", "batch-c", "batch-e");
    await wait(LET_IN_MS);
    expect(await (await batch(tokens.alice, "1.0.0", "batch-d")).finish()).toMatchObject(DONE);
    expect(await late.finish()).toMatchObject(refusedFor("batch-d"));
    const owned = ["a", "b", "c", "d"].map((letter) => handlesOf("npm", `batch-${letter}`));
    expect(await Promise.all(owned)).toEqual([["alice manage"], [], [], ["alice manage"]]);
  });

  test("only managers trust jobs, whose rights end with those of the manager", async () => {
    const { database, alice, bob } = registry;
    const send = (token: string, path: string, body: string, method = "POST") =>
      host.fetch(path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
    const trust = async (token: string, name: string) =>
      (await send(token, `/npm/-/package/${name}/trust`, JSON.stringify([PUBLISHER]))).status;
    const exchange = async (name: string) => {
      const path = `/-/npm/v1/oidc/token/exchange/package/${name}`;
      const answer = await send(issuer.token("npm:feed.test"), path, "");
      const { token = "" } = (await answer.json()) as { readonly token?: string };
      return { status: answer.status, token };
    };
    const publish = async (token: string, name: string, version: string) =>
      (await publishTo(host, "npm", { token, version, name })).status;
    const [moved, kept] = [{ name: "trust-moved" }, { name: "trust-kept" }];
    for (const { name } of [moved, kept]) {
      expect(await publish(tokens.alice, name, "1.0.0")).toBe(200);
      expect([await trust(tokens.bob, name), await trust(tokens.alice, name)]).toEqual([403, 200]);
    }
    const [ofMoved, ofKept] = [await exchange(moved.name), await exchange(kept.name)];
    expect(await publish(ofMoved.token, moved.name, "1.1.0")).toBe(200);
    expect(await publish(ofKept.token, kept.name, "1.1.0")).toBe(200);
    expect(await publish(ofKept.token, moved.name, "1.2.0")).toBe(403);

    const by = { actor: "test" };
    const named = { protocol: "npm", name: moved.name } as const;
    await database.ownership.ownerships.grant(named, { ...bob, level: "manage" }, by);
    await database.ownership.ownerships.revoke(named, alice.id, by);
    expect(await publish(ofMoved.token, moved.name, "1.2.0")).toBe(403);
    await database.people.setState(alice.id, { state: "blocked" }, by);
    expect(await publish(ofKept.token, kept.name, "1.2.0")).toBe(403);
    expect((await exchange(kept.name)).status).toBe(404);
    await database.people.setState(alice.id, { state: "active" }, by);
    expect(await publish(ofKept.token, kept.name, "1.2.0")).toBe(200);
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
    // An operators' token has a name, and not a handle.
    expect(await handlesOf("oci", "older/app")).toEqual(["bob manage"]);
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

type Named = { readonly name: string };

/** A request has been authorized by then. */
const LET_IN_MS = 500;
const DONE = { status: 200 };
const RUN = {
  repository: "acme/demo",
  repository_id: "7",
  repository_owner_id: "1",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};
const PUBLISHER = {
  type: "github",
  claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
  permissions: ["createPackage"],
};

function read(token: string): RequestInit {
  return { headers: { authorization: `Basic ${Buffer.from(`t:${token}`).toString("base64")}` } };
}
