import { openTestPlace, leaveTestServers } from "@sealhouse/database/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "./testing/index.ts";
import { databaseSettings, spawnHost } from "./testing/index.ts";

// packages/database has the races of every change, and what another instance finds, on every
// database (every-write.database.test.ts, every-read.database.test.ts).

describe("two instances over PostgreSQL", () => {
  const cleanUp = new AsyncDisposableStack();
  let hosts: readonly [TestHost, TestHost];
  let token: string;

  beforeAll(async () => {
    cleanUp.defer(leaveTestServers);
    const { config } = cleanUp.use(await openTestPlace("PostgreSQL"));
    const env = { ...databaseSettings(config), Feed__PublicBaseUrl: "http://feed.example" };
    const first = cleanUp.use(await spawnHost({ env }));
    const second = cleanUp.use(await spawnHost({ env, folder: first.folder }));
    hosts = [first, second];
    token = await first.makeToken({ scopes: "read,write" });
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  test("of twenty racing pushes at both, one wins, and both serve the same bytes", async () => {
    const body = new Uint8Array(buildNupkg({ id: "Acme.Race", version: "1.0.0", files: {} }));
    const headers = { "x-nuget-apikey": token };
    const pushes = Array.from({ length: 20 }, async (_, index) => {
      const host = hosts[index % 2 === 0 ? 0 : 1];
      const answer = await host.fetch("/api/v2/package", { method: "PUT", headers, body });
      await answer.arrayBuffer();
      return answer.status;
    });
    const statuses = await Promise.all(pushes);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    const path = "/v3/package/acme.race/1.0.0/acme.race.1.0.0.nupkg";
    const [file, other] = await Promise.all(
      hosts.map(async (host) => Buffer.from(await (await host.fetch(path)).arrayBuffer())),
    );
    expect(file?.includes(".signature.p7s")).toBe(true);
    expect(file?.equals(other ?? Buffer.alloc(0))).toBe(true);
  });

  test("what one instance changes, the other shows at once", async () => {
    const [first, second] = hosts;
    const index = "/v3/package/acme.fresh/index.json";
    expect((await second.fetch(index)).status).toBe(404);
    for (const version of ["1.0.0", "1.1.0", "1.2.0"]) {
      const body = new Uint8Array(buildNupkg({ id: "Acme.Fresh", version, files: {} }));
      const headers = { "x-nuget-apikey": token };
      const pushed = await first.fetch("/api/v2/package", { method: "PUT", headers, body });
      expect(pushed.status).toBe(201);
      expect(await (await second.fetch(index)).text()).toContain(`"${version}"`);
    }
  });

  test("waiting logins of one network leave room for others, at all instances", async () => {
    const logIn = async (index: number, address: string) => {
      const headers = { "x-forwarded-for": address, "content-type": "application/json" };
      const host = hosts[index % 2 === 0 ? 0 : 1];
      const answer = await host.fetch("/npm/-/v1/login", { method: "POST", headers, body: "{}" });
      await answer.arrayBuffer();
      return answer.status;
    };
    const statuses: number[] = [];
    for (let index = 0; index < 22; index++) {
      statuses.push(await logIn(index, `2001:db8:0:1::${index + 1}`));
    }
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(statuses.slice(20)).toEqual([429, 429]);
    expect(await logIn(0, "2001:db8:0:2::1")).toBe(200);
  });

  test("another instance knows a new token at once, until its revocation", async () => {
    const [first, second] = hosts;
    const made = await first.cli("token", "create", "--name", "both", "--json");
    const { id, token: value } = JSON.parse(made.stdout) as { id: string; token: string };
    const headers = { authorization: `Bearer ${value}` };
    expect((await second.fetch("/npm/-/whoami", { headers })).status).toBe(200);
    await first.cli("token", "revoke", id);
    expect((await second.fetch("/npm/-/whoami", { headers })).status).toBe(401);
  });
});
