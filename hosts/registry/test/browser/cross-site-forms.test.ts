import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, launchBrowser, openForeignSite, signInWithToken } from "./browser.ts";
import type { ForeignSite } from "./browser.ts";
import { isExtended } from "../../src/testing/index.ts";
import { EXCHANGE_PATH } from "@sealhouse/npm-protocol";
import { allEndpoints, changingEndpoints } from "./changing-endpoints.ts";
import type { Endpoint } from "./changing-endpoints.ts";
import { openWatchedRegistry } from "./watched-registry.ts";
import type { WatchedRegistry } from "./watched-registry.ts";

/** For some hundred requests of a browser. */
const LONG = { timeout: 600_000 };
const REFUSED = /^A page of another site sent this request/;

const TRUST = {
  type: "github",
  claims: { repository: "evil/evil", workflow_ref: { file: "publish.yml" } },
  permissions: ["createPackage"],
};

const endpoints = changingEndpoints();

test("the routers name every kind of change", () => {
  const knownRoutes = new Set(
    endpoints.map(({ surface, method, path }) => `${surface} ${method} ${path}`),
  );
  for (const route of [
    "nuget PUT /api/v2/package",
    "nuget POST /api/v2/package/Demo/1.0.0",
    "npm PUT /demo",
    "npm POST /-/package/demo/trust",
    "npm POST /-/npm/v1/tokens",
    "npm PUT /-/package/demo/dist-tags/next",
    "oci POST /v2/acme/app/blobs/uploads/",
    "oci PUT /v2/acme/app/manifests/v1",
    "console POST /images/acme/app:v1/delete",
    "console POST /administration/package-sources/new",
    "console POST /administration/rules/new",
    "console POST /administration/names/release",
    "console POST /administration/api-keys/revoke",
    "console POST /administration/publish-targets/alice/token",
  ]) {
    expect(knownRoutes).toContain(route);
  }
});

test("reads the routes of every app of the host", () => {
  const knownRoutes = new Set(
    allEndpoints().map(({ surface, method, path }) => `${surface} ${method} ${path}`),
  );
  for (const page of [
    "/",
    "/packages",
    "/npm-packages",
    "/images",
    "/trust",
    "/trust/images/cosign.pub",
  ]) {
    expect(knownRoutes).toContain(`console GET ${page}`);
  }
  expect(knownRoutes).toContain("operations GET /metrics");
  expect(knownRoutes).toContain("operations GET /health/live");
});

const SCHEMES = isExtended ? (["http", "https"] as const) : (["https"] as const);
describe.skipIf(!hasBrowser).each(SCHEMES)("by %s", (scheme) => {
  const cleanUp = new AsyncDisposableStack();
  let registry: WatchedRegistry;
  let foreign: ForeignSite;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    registry = cleanUp.use(await openWatchedRegistry(scheme));
    foreign = cleanUp.use(await openForeignSite(registry.certificate));
    browser = await launchBrowser();
    cleanUp.defer(() => browser.close());
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
    const [main, , oci] = registry.addresses;
    // npm's host name asks for no credentials that a browser stores.
    for (const address of [main, ...(oci ? [oci] : [])]) {
      await storeBasic(page, `${address}/token?scope=repository:app:pull`, registry.token);
    }
    await signInWithToken(page, main, registry.token);
  });
  afterAll(() => cleanUp.disposeAsync());

  test(
    "a form of another site changes nothing, at any endpoint and any address",
    LONG,
    async () => {
      const before = await registry.state();
      for (const url of targets(registry, endpoints)) {
        const { status, text, authorization } = await submitForm(page, foreign, url);
        expect([url, status, text]).toEqual([url, 403, expect.stringMatching(REFUSED)]);
        if (!url.startsWith("https://npm.")) expect(authorization, url).toMatch(/^Basic /);
      }
      expect(await registry.state()).toBe(before);
    },
  );

  test(
    "a script of another site may send no other method, at any endpoint and any address",
    LONG,
    async () => {
      const before = await registry.state();
      await page.goto(foreign.url);
      for (const method of ["PUT", "DELETE", "PATCH"]) {
        const some = endpoints.filter((endpoint) => endpoint.method === method);
        for (const url of targets(registry, some)) {
          expect(await page.evaluate(send, { url, method }), `${method} ${url}`).toBe("TypeError");
        }
      }
      expect(await registry.state()).toBe(before);
    },
  );

  test("refuses a script that does not ask to read the answer, too", async () => {
    const [address] = registry.addresses;
    const before = await registry.state();
    await page.goto(foreign.url);
    const url = `${address}/api/v2/package/Demo/1.0.0`;
    const refused = page.waitForResponse((response) => response.url() === url);
    const sent: Sent = { url, method: "POST", mode: "no-cors" };
    await page.evaluate(send, sent);
    expect((await refused).status()).toBe(403);
    expect(await registry.state()).toBe(before);
  });

  test("attacks segments by path and the exchange of ID tokens at the root", () => {
    const [main] = registry.addresses;
    const urls = targets(registry, endpoints);
    for (const path of ["/acme/token", "/acme/v2/app/manifests/v1", `${EXCHANGE_PATH}demo`]) {
      expect(urls).toContain(`${main}${path}`);
    }
  });

  test("this rule never refuses clients other than browsers", async () => {
    const headers = { authorization: `Bearer ${registry.token}` };
    for (const { surface, method, path } of endpoints) {
      if (method === "DELETE" || path.endsWith("/-/npm/v1/tokens")) continue;
      for (const url of mainPaths(surface, path)) {
        const answer = await registry.host.fetch(url, { method, headers });
        expect(await answer.text(), `${method} ${url}`).not.toMatch(REFUSED);
      }
    }
  });

  test("a page of another site creates no refresh token", async () => {
    const [main] = registry.addresses;
    const before = await registry.state();
    await page.goto(foreign.url);
    for (const path of ["/token", "/acme/token"]) {
      const url = `${main}${path}?service=x&client_id=docker&offline_token=true`;
      const refused = page.waitForResponse((response) => response.url() === url);
      const sent: Sent = { url, method: "GET", mode: "no-cors" };
      await page.evaluate(send, sent);
      expect((await refused).status(), path).toBe(403);
    }
    expect(await registry.state()).toBe(before);
  });

  test("a client other than a browser gets a refresh token", async () => {
    const basic = Buffer.from(`x:${registry.token}`).toString("base64");
    const headers = { authorization: `Basic ${basic}` };
    const url = "/token?service=x&client_id=docker&offline_token=true";
    const answer = await registry.host.fetch(url, { headers });
    expect(await answer.json()).toHaveProperty("refresh_token");
  });

  test("our own form still deletes an image, after a confirmation with the token", async () => {
    const [address] = registry.addresses;
    await page.goto(`${address}/images/acme/app:1.0/delete`);
    await page.getByRole("button", { name: "Delete the tag 1.0" }).click();
    await page.getByRole("textbox", { name: "API token" }).fill(registry.token);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.waitForLoadState();
    expect(await page.content()).not.toMatch(REFUSED);
    const list = await registry.host.fetch("/v2/acme/app/tags/list", {
      headers: { authorization: `Basic ${Buffer.from(`x:${registry.token}`).toString("base64")}` },
    });
    expect(await list.json()).toEqual({ name: "acme/app", tags: [] });
  });
});

/** Afterwards the browser sends the token with every request to this host. */
async function storeBasic(page: Page, address: string, token: string): Promise<void> {
  const url = new URL(address);
  url.username = "me";
  url.password = token;
  expect((await page.goto(url.href))?.status()).toBe(200);
}

/** The addresses of the endpoints, wherever their surface is. */
function targets({ addresses }: WatchedRegistry, some: readonly Endpoint[]): readonly string[] {
  const [main, npm, oci] = addresses;
  const all = some.flatMap(({ surface, path }) => {
    const own = { npm: npm && `${npm}${path}`, oci: oci && `${oci}${path}` };
    const ownUrl = surface === "npm" || surface === "oci" ? own[surface] : undefined;
    const atMain = mainPaths(surface, path).map((mainPath) => `${main}${mainPath}`);
    return ownUrl === undefined ? atMain : [...atMain, ownUrl];
  });
  return [...new Set(all)];
}

/** Paths of an endpoint at the main address: images also have the path of their segment, and the
 * exchange of ID tokens is also at the root. */
function mainPaths(surface: Endpoint["surface"], path: string): readonly string[] {
  if (surface === "npm") {
    return path.startsWith(EXCHANGE_PATH) ? [`/npm${path}`, path] : [`/npm${path}`];
  }
  if (surface !== "oci") return [path];
  return [path, `/acme${path.replace("/v2/acme/", "/v2/")}`];
}

/** Submits a form of the foreign site whose body is JSON. */
async function submitForm(page: Page, foreign: ForeignSite, url: string) {
  const json = JSON.stringify([{ ...TRUST, padding: "=" }]);
  const [name = "", value = ""] = json.split(/(?<=padding":")=/);
  await page.goto(foreign.formFor(url, [name, value]));
  const answered = page.waitForResponse((response) => {
    return response.request().method() === "POST" && response.request().url() === new URL(url).href;
  });
  await page.evaluate("document.forms[0].submit()");
  const answer = await answered;
  const { authorization } = await answer.request().allHeaders();
  return { status: answer.status(), text: await answer.text(), authorization };
}

type Sent = { readonly url: string; readonly method: string; readonly mode?: "no-cors" };

async function send({ url, method, mode }: Sent): Promise<string> {
  try {
    const body = method === "GET" ? null : "{}";
    const init = { method, credentials: "include", body } as const;
    const answer = await fetch(url, mode === undefined ? init : { ...init, mode });
    return String(answer.status);
  } catch (error) {
    return error instanceof Error ? error.name : "unknown";
  }
}
