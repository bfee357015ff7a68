import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { npmArtifact } from "../artifacts.ts";
import { hasClient, openFolder } from "./client.ts";
import type { Nginx } from "./nginx.ts";
import { startNginx } from "./nginx.ts";

/** Everything that a client could say about itself. */
const FORGED = {
  "x-forwarded-for": "10.1.1.1",
  "x-forwarded-proto": "http",
  "x-forwarded-host": "evil.example",
  "x-forwarded-prefix": "/evil",
  "x-request-id": "forged-id",
  forwarded: "for=10.1.1.1;host=evil.example;proto=http",
};

describe.skipIf(!hasClient("nginx"))("nginx as documented, by https", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let nginx: Nginx;

  beforeAll(async () => {
    // Without Feed__PublicBaseUrl, so that whatever came through would show in every link.
    const env = {
      ASPNETCORE_ENVIRONMENT: "Production",
      Host__TokenHashPepper: "0123456789abcdef0123456789abcdef",
      Feed__Authentication__AllowAnonymousPull: "true",
      Feed__Npm__Enabled: "true",
    };
    host = cleanUp.use(await spawnHost({ env }));
    const { path } = cleanUp.use(await openFolder());
    nginx = cleanUp.use(await startNginx(host, path));
  });
  afterAll(() => cleanUp.disposeAsync());

  async function ask(path: string, init: RequestInit = {}) {
    const { method = "GET", body } = init;
    const clientRequest = request(`${nginx.url}${path}`, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ca: nginx.authority,
      lookup: (_name, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    clientRequest.end(body);
    const [answer] = (await once(clientRequest, "response")) as [IncomingMessage];
    const text = (await answer.setEncoding("utf8").toArray()).join("");
    return { status: answer.statusCode ?? 0, headers: answer.headers, text };
  }

  /** The host as an artifact wants it, behind nginx. */
  const behind = (): TestHost => ({
    ...host,
    url: nginx.url,
    fetch: async (path, init) => {
      const { status, text } = await ask(path, init);
      return new Response(text, { status });
    },
  });

  test("a package of megabytes goes through, and its links are those of the proxy", async () => {
    const token = await host.makeToken({ scopes: "read,write" });
    const large = npmArtifact("large", randomBytes(8 * 1024 * 1024));
    expect(await large.push(behind(), token)).toBe(true);
    const { text, headers } = await ask("/npm/large");
    expect(text).toContain(`"${nginx.url}/npm/large/-/large-1.0.0.tgz"`);
    expect(headers["strict-transport-security"]).toMatch(/^max-age=/);
    expect(await nginx.errors()).not.toContain("buffered to a temporary file");
  });

  test.each(["/npm/large", "/v3/index.json"])(
    "what a client says about itself changes nothing at %s",
    async (path) => {
      const plain = await ask(path);
      expect(plain.status).toBe(200);
      // Each alone, so that none makes up for another; the last time all.
      const each = Object.entries(FORGED).map(([name, value]) => ({ [name]: value }));
      for (const headers of [...each, FORGED]) {
        const forged = await ask(path, { headers });
        expect([forged.status, forged.text]).toEqual([200, plain.text]);
        expect(forged.headers["x-request-id"]).not.toBe("forged-id");
        expect(forged.headers["strict-transport-security"]).toMatch(/^max-age=/);
      }
    },
  );

  test("the address that a token is limited to is the one that the proxy saw", async () => {
    const path = "/npm/-/package/large/dist-tags/next";
    const put = async (networks: string) => {
      const token = await host.makeToken({ name: networks, scopes: "read,write", networks });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method: "PUT", body: '"1.0.0"' };
      return (await ask(path, { ...init, headers: { ...headers, ...FORGED } })).status;
    };
    expect(await put("127.0.0.1/32")).toBe(200);
    expect(await put("10.1.1.1/32")).toBe(403);
  });

  test("no id that a client made up is in the log", () => {
    expect(host.output()).toContain("/npm/large");
    expect(host.output()).not.toContain("forged-id");
  });
});
