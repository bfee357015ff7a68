import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClientName } from "./installed-clients.ts";
import { quickClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const names = quickClients();

describe("a registry with closed reading", () => {
  const cleanUp = new AsyncDisposableStack();
  let clients: NpmClients;
  const tokens = new Map<string, string | undefined>([["none", undefined]]);

  beforeAll(async () => {
    const env = { Feed__Authentication__AllowAnonymousPull: "false" };
    clients = cleanUp.use(await openNpmClients({ only: names, env }));
    const { host } = clients;
    tokens.set("read", await host.makeToken({ name: "reader", scopes: "read" }));
    tokens.set("other", await host.makeToken({ name: "bob", patterns: "@bob/*" }));
    const [publisher] = clients.all.toReversed();
    for (const name of publisher ? names : []) {
      const sent = await publisher?.publish(await publisher.source(`@acme/${name}`, "1.0.0"));
      expect(sent?.code, sent?.output).toBe(0);
    }
  });
  afterAll(() => cleanUp.disposeAsync());

  async function installed(name: ClientName, token: string) {
    const client = await clients.another(name);
    await client.useToken(tokens.get(token));
    const project = await client.project({ [`@acme/${name}`]: "1.0.0" });
    const ran = await client.install(project);
    return { ...ran, statuses: [...new Set(client.requests().map(({ status }) => status))] };
  }

  test.concurrent.each(names)("%s without a token gets 401", async (name) => {
    const { code, statuses } = await installed(name, "none");
    expect(code).not.toBe(0);
    expect(statuses).toContain(401);
    expect(statuses).not.toContain(200);
  });

  test.concurrent.each(names)("%s reads with a token that may read, and no more", async (name) => {
    const { code, output } = await installed(name, "read");
    expect(code, output).toBe(0);
    const client = await clients.another(name);
    await client.useToken(tokens.get("read"));
    const sent = await client.publish(await client.source(`@acme/not-${name}`, "1.0.0"));
    expect(sent.code, sent.output).not.toBe(0);
    const put = client.requests().find(({ method }) => method === "PUT");
    expect(put?.status).toBe(403);
  });

  test.concurrent.each(names)("%s sees nothing outside of its token", async (name) => {
    const { code, statuses } = await installed(name, "other");
    expect(code).not.toBe(0);
    expect(statuses).toContain(404);
    expect(statuses).not.toContain(200);
  });
});
