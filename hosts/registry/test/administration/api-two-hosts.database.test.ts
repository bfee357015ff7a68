import { setTimeout as delay } from "node:timers/promises";
import { leaveTestServers, openTestPlace, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { databaseSettings, spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";

const API = "/api/admin/v1";
const RULE = { effect: "deny", protocol: "npm", pattern: "left-pad", reason: "Malware." };

afterAll(leaveTestServers);

describe.skipIf(!testableDatabases().includes("PostgreSQL"))("the API of two hosts", () => {
  test("repeats one answer, has the jobs of both, and refuses what one revoked", async () => {
    await using opened = new AsyncDisposableStack();
    const folder = opened.use(await openFolder());
    const place = opened.use(await openTestPlace("PostgreSQL"));
    const options = { folder: folder.path, env: databaseSettings(place.config) };
    const one = opened.use(await spawnHost(options));
    const other = opened.use(await spawnHost(options));
    const token = await one.makeToken({ name: "admin", scopes: "admin" });
    const call = async (host: TestHost, line: string, sent: Sent = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const { body, bearer = token, ...headers } = sent;
      return host.fetch(`${API}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${bearer}`,
          "content-type": "application/json",
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    };

    const again = { body: RULE, "idempotency-key": "one-rule" };
    const hosts = [one, other, one, other, one, other];
    const answers = await Promise.all(hosts.map((host) => call(host, "POST /rules", again)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(statuses).toContain(201);
    const texts = await Promise.all(
      [one, other].map(async (host) => (await call(host, "POST /rules", again)).text()),
    );
    expect(texts[0]).toBe(texts[1]);
    const listed = await (await call(other, "GET /rules")).json();
    expect(listed).toMatchObject({ items: [{ pattern: "left-pad" }] });
    expect(listed).not.toHaveProperty("items.1");

    await call(one, "POST /teams", { body: { handle: "acme" } });
    const seen = await call(other, "GET /teams/acme");
    const ifMatch = { "if-match": seen.headers.get("etag") ?? "" };
    const renamed = await Promise.all(
      hosts.map((host, at) =>
        call(host, "PUT /teams/acme/name", { body: { name: `Acme ${at}` }, ...ifMatch }),
      ),
    );
    const counted = Object.groupBy(renamed, ({ status }) => status);
    expect([counted[200]?.length, counted[412]?.length]).toEqual([1, 5]);

    const begun = await call(one, "POST /owners/import", { body: {} });
    expect(begun.status).toBe(202);
    const { job } = (await begun.json()) as { readonly job: string };
    let state: unknown = "running";
    while (state === "running") {
      await delay(50);
      state = ((await (await call(other, `GET /jobs/${job}`)).json()) as { state: unknown }).state;
    }
    expect(state).toBe("done");

    const made = await call(one, "POST /tokens", { body: { name: "short", scopes: "admin" } });
    const { id, token: bearer } = (await made.json()) as { id: string; token: string };
    expect((await call(other, "GET /tokens?limit=1", { bearer })).status).toBe(200);
    const revocation = { body: {}, "if-match": "*" };
    expect((await call(one, `POST /tokens/${id}/revoke`, revocation)).status).toBe(200);
    expect((await call(other, "GET /tokens?limit=1", { bearer })).status).toBe(401);
  }, 120_000);
});

type Sent = {
  readonly body?: unknown;
  readonly bearer?: string;
  readonly "idempotency-key"?: string;
  readonly "if-match"?: string;
};
