import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { npmArtifact, nugetArtifact, ociArtifact } from "./artifacts.ts";
import { openFolder } from "./clients/client.ts";

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

type TestRequest = { readonly method?: string; readonly headers?: Record<string, string> };

/** With any `Host`, which `fetch` does not allow. */
async function ask(
  host: TestHost,
  path: string,
  { method = "GET", headers = {} }: TestRequest = {},
) {
  const clientRequest = request(`${host.url}${path}`, { method, headers }).end();
  const [answer] = (await once(clientRequest, "response")) as [IncomingMessage];
  const text = (await answer.setEncoding("utf8").toArray()).join("");
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** Sends raw lines and returns the complete answer. */
async function sendRaw(host: TestHost, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(host.url);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return (await socket.toArray()).join("");
}

async function fill(host: TestHost): Promise<string> {
  const token = await host.makeToken({ scopes: "read,write" });
  const content = Buffer.from("content");
  const artifacts = [nugetArtifact("Demo", content), npmArtifact("demo", content)];
  for (const artifact of [...artifacts, ociArtifact("acme/app", content)]) {
    expect(await artifact.push(host, token)).toBe(true);
  }
  return token;
}

describe("a host in Development", () => {
  let host: TestHost;
  let token: string;

  beforeAll(async () => {
    host = cleanUp.use(await startHost({ env: { Feed__Npm__HostNames__0: "", ...DEVELOPMENT } }));
    token = await fill(host);
  });

  test.each([
    ["a page", "/", 200],
    ["a page that there is not", "/nothing", 404],
    ["a document of NuGet", "/v3/registration/demo/index.json", 200],
    ["a package", "/v3/package/demo/1.0.0/demo.1.0.0.nupkg", 200],
    ["an unknown package", "/v3/package/none/index.json", 404],
    ["a document of npm", "/npm/demo", 200],
    ["a tarball", "/npm/demo/-/demo-1.0.0.tgz", 200],
    ["an unknown document", "/npm/none", 404],
    ["a challenge", "/v2/", 401],
    ["a manifest", "/v2/acme/app/manifests/1.0", 200],
    ["an unknown blob", `/v2/acme/app/blobs/sha256:${"0".repeat(64)}`, 404],
    ["health", "/health", 200],
    ["metrics", "/metrics", 200],
    ["a path that breaks the grammar", "/npm/%zz", 400],
  ])("sends nosniff with %s", async (_what, path, status) => {
    for (let turn = 1; turn <= 2; turn += 1) {
      const { status: got, headers } = await ask(host, path);
      expect([got, headers["x-content-type-options"]]).toEqual([status, "nosniff"]);
    }
  });

  test("sends nosniff with 304 and with refused changes", async () => {
    const { headers } = await ask(host, "/npm/demo");
    const again = await ask(host, "/npm/demo", {
      headers: { "if-none-match": String(headers.etag) },
    });
    expect([again.status, again.headers["x-content-type-options"]]).toEqual([304, "nosniff"]);
    const from = { origin: "https://evil.example" };
    for (const [method, path] of CHANGES) {
      const refused = await ask(host, path, { method, headers: from });
      expect([path, refused.status, refused.headers["x-content-type-options"]]).toEqual([
        path,
        403,
        "nosniff",
      ]);
      expect(refused.text).toMatch(/^A page of another site sent this request/);
    }
  });

  test("answers loopback names and configured names only", async () => {
    for (const path of ["/", "/npm/demo", "/v3/index.json", "/v2/", "/health", "/metrics"]) {
      const refused = await ask(host, path, { headers: { host: "evil.example" } });
      expect([path, refused.status]).toEqual([path, 421]);
      expect(refused.text).toContain('refuses the host name "evil.example"');
      const forwarded = { host: "evil.example", "x-forwarded-host": "localhost" };
      expect((await ask(host, path, { headers: forwarded })).status).toBe(421);
      const { port } = new URL(host.url);
      for (const name of [`localhost:${port}`, "app.localhost", "packages.example"]) {
        expect((await ask(host, path, { headers: { host: name } })).status).not.toBe(421);
      }
    }
  });

  test("refuses a second Host header", async () => {
    const { host: own } = new URL(host.url);
    for (const [first, second] of [
      [`Host: ${own}`, "Host: evil.example"],
      ["Host: evil.example", `host: ${own}`],
      [`Host: ${own}`, `HOST: ${own}`],
    ] as const) {
      const answer = await sendRaw(host, ["GET /npm/demo HTTP/1.1", first, second]);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.toLowerCase()).toContain("x-content-type-options: nosniff");
      expect(answer).toContain("more than one Host header");
    }
    const lines = ["GET /npm/demo HTTP/1.1", `Host: ${own}`, "Connection: close"];
    expect(await sendRaw(host, lines)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("sends HSTS for https addresses, and not for http addresses", async () => {
    const by = (proto: string, name: string) => ({
      headers: { "x-forwarded-proto": proto, "x-forwarded-host": name },
    });
    for (const path of ["/", "/npm/demo", "/v2/acme/app/manifests/1.0", "/nothing"]) {
      const hsts = async (init: TestRequest) =>
        (await ask(host, path, init)).headers["strict-transport-security"];
      expect(await hsts(by("https", "packages.example"))).toMatch(/^max-age=\d{7,}$/);
      expect(await hsts(by("http", "packages.internal"))).toBeUndefined();
    }
  });

  test("accepts a change by a client with a token", async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const path = "/npm/-/package/demo/dist-tags/next";
    const answer = await host.fetch(path, { method: "PUT", headers, body: '"1.0.0"' });
    expect(answer.status).toBe(200);
  });
});

const DEVELOPMENT = {
  Feed__PublicBaseUrls__0: "https://packages.example",
  Feed__PublicBaseUrls__1: "http://packages.internal",
};

const CHANGES = [
  ["PUT", "/api/v2/package"],
  ["PUT", "/npm/demo"],
  ["POST", "/v2/acme/app/blobs/uploads/"],
  ["POST", "/images/acme/app:1.0/delete"],
  ["POST", "/metrics"],
  ["POST", "/nothing"],
] as const;

const PRODUCTION = {
  ASPNETCORE_ENVIRONMENT: "Production",
  Host__TokenHashPepper: "0123456789abcdef0123456789abcdef",
  Feed__Authentication__AllowAnonymousPull: "true",
  Feed__Npm__Enabled: "true",
  Feed__Oci__Default__Enabled: "true",
};

test("foreign Host headers do not switch stored documents off", async () => {
  await using host = await startHost({ env: PRODUCTION });
  expect(host.output()).toContain("Feed__PublicBaseUrl is not set");
  /** Answers of stored documents have no id, because the log has no line for them. */
  const isStored = async (path: string, name?: string) => {
    const headers = name === undefined ? {} : { host: name };
    const { status, headers: got } = await ask(host, path, { headers });
    expect(status).toBe(200);
    return got["x-request-id"] === undefined;
  };
  const flood = async () => {
    for (let index = 0; index < 50; index += 1) {
      expect(await isStored("/npm/demo", `made-up-${index}.example`)).toBe(false);
    }
  };
  const documents = ["/npm/demo", "/v3/registration/demo/index.json"];
  for (let index = 0; index < 50; index += 1) {
    await ask(host, "/npm/demo", { headers: { host: `early-${index}.example` } });
  }
  await fill(host);
  for (let turn = 1; turn <= 2; turn += 1) {
    await flood();
    // A document is kept after the answer that it was made for.
    for (const path of documents) await expect.poll(() => isStored(path)).toBe(true);
  }
});

test("a caller with a token adds no rows of documents by foreign Host headers", async () => {
  await using host = await startHost({ env: PRODUCTION });
  const authorization = `Bearer ${await fill(host)}`;
  for (let index = 0; index < 20; index += 1) {
    for (const path of ["/npm/demo", "/v3/package/demo/index.json"]) {
      const headers = { host: `made-up-${index}.example`, authorization };
      // The first request confirms the address, the second reads the stored document.
      for (let turn = 1; turn <= 2; turn += 1) {
        expect((await ask(host, path, { headers })).status).toBe(200);
      }
    }
  }
  using database = openSqliteFile(join(host.folder, "sealhouse.db"), { readOnly: true });
  const rows = database.prepare("select document_key from documents").all();
  expect(rows).toEqual([]);
});

test("Production refuses a public http address unless a setting allows it", async () => {
  await using folder = await openFolder();
  const env = { ...PRODUCTION, Feed__PublicBaseUrl: "http://packages.example" };
  const check = (more: Record<string, string>) =>
    runCli(["config", "check"], { folder: folder.path, env: { ...env, ...more } });
  const refused = await check({});
  expect(refused.code).toBe(78);
  expect(refused.stderr).toMatch(/Feed__PublicBaseUrl: .*Host__AllowInsecurePublicUrl=true/);
  expect((await check({ Host__AllowInsecurePublicUrl: "true" })).code).toBe(0);
  expect((await check({ ASPNETCORE_ENVIRONMENT: "Development" })).code).toBe(0);
});
