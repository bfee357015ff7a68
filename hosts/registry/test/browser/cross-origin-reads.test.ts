import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";
import { hasBrowser, launchBrowser, openForeignSite } from "./browser.ts";
import type { ForeignSite } from "./browser.ts";

const DOCUMENTS = [
  "/v3/index.json",
  "/v3/registration/demo/index.json",
  "/v3/package/demo/1.0.0/demo.1.0.0.nupkg",
  "/npm/demo",
  "/npm/demo/-/demo-1.0.0.tgz",
  "/v2/acme/app/manifests/1.0",
  "/v2/acme/app/tags/list",
];

describe.skipIf(!hasBrowser)("pages of other origins", () => {
  const cleanUp = new AsyncDisposableStack();
  let foreign: ForeignSite;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    foreign = cleanUp.use(await openForeignSite());
    browser = await launchBrowser();
    cleanUp.defer(() => browser.close());
    page = await (await browser.newContext()).newPage();
    await page.goto(foreign.url);
  });
  afterAll(() => cleanUp.disposeAsync());

  async function openFeed(env: Record<string, string> = {}): Promise<TestHost> {
    const host = await spawnHost({ env });
    const token = await host.makeToken({ scopes: "read,write" });
    const content = Buffer.from("content");
    const artifacts = [nugetArtifact("Demo", content), npmArtifact("demo", content)];
    for (const artifact of [...artifacts, ociArtifact("acme/app", content)]) {
      expect(await artifact.push(host, token)).toBe(true);
    }
    return host;
  }

  /** The status that the page gets to see, or the name of the error. */
  function read(host: TestHost, path: string, init: Init = {}): Promise<string> {
    return page.evaluate(readPath, { url: `${host.url}${path}`, init });
  }

  test("read public documents, and cannot send a token", async () => {
    await using host = await openFeed();
    for (const path of DOCUMENTS) {
      // The second may be a stored document, or the browser's own copy.
      for (let turn = 1; turn <= 2; turn += 1) expect(await read(host, path), path).toBe("200");
      const init = { headers: { "if-none-match": '"x"', "cache-control": "no-cache" } };
      expect(await read(host, path, init), path).toBe("200");
      expect(await read(host, path, { credentials: "include" }), path).toBe("TypeError");
      const signed = { headers: { authorization: "Bearer shp_x" } };
      expect(await read(host, path, signed), path).toBe("TypeError");
      const forwarded = { headers: { "x-forwarded-host": "evil.test" } };
      expect(await read(host, path, forwarded), path).toBe("TypeError");
    }
    expect(await read(host, "/npm/none")).toBe("404");
    expect(await read(host, "/npm/demo", { method: "PUT" })).toBe("TypeError");
    expect(await page.evaluate(digestOf, `${host.url}/v2/acme/app/manifests/1.0`)).toMatch(
      /^sha256:/,
    );
    for (const path of ["/", "/packages", "/health", "/metrics"]) {
      expect(await read(host, path), path).toBe("TypeError");
    }
  });

  test("read nothing from a feed that requires a token", async () => {
    await using host = await openFeed({ Feed__Authentication__AllowAnonymousPull: "false" });
    for (const path of DOCUMENTS) expect(await read(host, path), path).toBe("TypeError");
  });

  test("read only from the origins of Host__Cors__Origins", async () => {
    const { origin } = new URL(foreign.url);
    await using open = await openFeed({ Host__Cors__Origins: `https://docs.example,${origin}` });
    await using closed = await openFeed({ Host__Cors__Origins: "https://docs.example" });
    for (const path of DOCUMENTS) {
      const init = { headers: { "if-none-match": '"x"' } };
      expect(await read(open, path, init), path).toBe("200");
      expect(await read(closed, path), path).toBe("TypeError");
      const { headers } = await closed.fetch(path);
      expect(headers.get("vary"), path).toMatch(/(?:^|, )Origin$/);
      expect(headers.get("access-control-allow-origin"), path).toBeNull();
    }
    await using none = await spawnHost({ env: { Host__Cors__Origins: "none" } });
    expect(await read(none, "/v3/index.json")).toBe("TypeError");
    expect((await none.fetch("/v3/index.json")).headers.get("vary") ?? "").not.toContain("Origin");
  });
});

test("answers OPTIONS for reads of packages", async () => {
  await using host = await spawnHost();
  const headers = { origin: "https://docs.example", "access-control-request-method": "GET" };
  for (const path of ["/v3/index.json", "/npm/demo", "/v2/", "/api/v2/package"]) {
    const preflight = await host.fetch(path, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": expect.not.stringMatching(/authorization|forwarded/),
    });
    expect(preflight.headers.has("access-control-allow-credentials")).toBe(false);
    const plain = await host.fetch(path, { method: "OPTIONS" });
    expect([plain.status, await plain.text()]).toEqual([204, ""]);
  }
});

type Init = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly credentials?: "include";
};

async function readPath({ url, init }: { readonly url: string; readonly init: Init }) {
  try {
    const answer = await fetch(url, init);
    await answer.arrayBuffer();
    return String(answer.status);
  } catch (error) {
    return error instanceof Error ? error.name : "unknown";
  }
}

async function digestOf(url: string): Promise<string | null> {
  return (await fetch(url)).headers.get("docker-content-digest");
}
