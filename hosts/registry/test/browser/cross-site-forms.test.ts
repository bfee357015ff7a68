import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, launchBrowser, openForeignSite } from "./browser.ts";
import type { ForeignSite } from "./browser.ts";
import { changingEndpoints } from "./changing-endpoints.ts";
import type { ChangingEndpoint } from "./changing-endpoints.ts";
import { openWatchedRegistry } from "./watched-registry.ts";
import type { WatchedRegistry } from "./watched-registry.ts";

const REFUSED = /^A page of another site sent this request/;

const TRUST = {
  type: "github",
  claims: { repository: "evil/evil", workflow_ref: { file: "publish.yml" } },
  permissions: ["createPackage"],
};

const endpoints = changingEndpoints();

test("the routers name every kind of change", () => {
  const known = new Set(
    endpoints.map(({ surface, method, path }) => `${surface} ${method} ${path}`),
  );
  for (const one of [
    "nuget PUT /api/v2/package",
    "nuget POST /api/v2/package/Demo/1.0.0",
    "npm PUT /demo",
    "npm POST /-/package/demo/trust",
    "npm POST /-/npm/v1/tokens",
    "npm PUT /-/package/demo/dist-tags/next",
    "oci POST /v2/acme/app/blobs/uploads/",
    "oci PUT /v2/acme/app/manifests/v1",
    "console POST /images/acme/app:v1/delete",
  ]) {
    expect(known).toContain(one);
  }
});

describe.skipIf(!hasBrowser).each(["http", "https"] as const)("by %s", (scheme) => {
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
    await signIn(page, `${main}/packages`, registry.token);
    // npm's host name has no page that a browser could sign in at.
    if (oci) await signIn(page, `${oci}/token?scope=repository:app:pull`, registry.token);
  });
  afterAll(() => cleanUp.disposeAsync());

  test("a form of another site changes nothing, at any endpoint and any address", async () => {
    const before = await registry.state();
    for (const url of targets(registry, endpoints)) {
      const { status, text, authorization } = await submitForm(page, foreign, url);
      expect([url, status, text]).toEqual([url, 403, expect.stringMatching(REFUSED)]);
      if (!url.startsWith("https://npm.")) expect(authorization, url).toMatch(/^Basic /);
    }
    expect(await registry.state()).toBe(before);
  });

  test("a script of another site may send no other method, at any endpoint and any address", async () => {
    const before = await registry.state();
    await page.goto(foreign.url);
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const some = endpoints.filter((one) => one.method === method);
      for (const url of targets(registry, some)) {
        expect(await page.evaluate(send, { url, method }), `${method} ${url}`).toBe("TypeError");
      }
    }
    expect(await registry.state()).toBe(before);
  });

  test("refuses a script that does not ask to read the answer, too", async () => {
    const [address] = registry.addresses;
    const before = await registry.state();
    await page.goto(foreign.url);
    const url = `${address}/api/v2/package/Demo/1.0.0`;
    const refused = page.waitForResponse((one) => one.url() === url);
    const sent: Sent = { url, method: "POST", mode: "no-cors" };
    await page.evaluate(send, sent);
    expect((await refused).status()).toBe(403);
    expect(await registry.state()).toBe(before);
  });

  test("this rule never refuses clients other than browsers", async () => {
    const headers = { authorization: `Bearer ${registry.token}` };
    for (const { surface, method, path } of endpoints) {
      const url = surface === "npm" ? `/npm${path}` : path;
      if (method === "DELETE" || url.endsWith("/-/npm/v1/tokens")) continue;
      const answer = await registry.host.fetch(url, { method, headers });
      expect(await answer.text(), `${method} ${url}`).not.toMatch(REFUSED);
    }
  });

  test("our own form still deletes an image", async () => {
    const [address] = registry.addresses;
    await page.goto(`${address}/images/acme/app:1.0/delete`);
    await page.getByRole("button", { name: "Delete the tag 1.0" }).click();
    await page.waitForLoadState();
    expect(await page.content()).not.toMatch(REFUSED);
    const list = await registry.host.fetch("/v2/acme/app/tags/list", {
      headers: { authorization: `Basic ${Buffer.from(`x:${registry.token}`).toString("base64")}` },
    });
    expect(await list.json()).toEqual({ name: "acme/app", tags: [] });
  });
});

/** Afterwards the browser sends the token with every request to this host. */
async function signIn(page: Page, address: string, token: string): Promise<void> {
  const url = new URL(address);
  url.username = "me";
  url.password = token;
  expect((await page.goto(url.href))?.status()).toBe(200);
}

/** The addresses of the endpoints, wherever their surface is. */
function targets(
  { addresses }: WatchedRegistry,
  some: readonly ChangingEndpoint[],
): readonly string[] {
  const [main, npm, oci] = addresses;
  const all = some.flatMap(({ surface, path }) => {
    const own = { npm: npm && `${npm}${path}`, oci: oci && `${oci}${path}` };
    const at = surface === "npm" || surface === "oci" ? own[surface] : undefined;
    const atMain = `${main}${surface === "npm" ? "/npm" : ""}${path}`;
    return at === undefined ? [atMain] : [atMain, at];
  });
  return [...new Set(all)];
}

/** Submits a form of the foreign site whose body is JSON. */
async function submitForm(page: Page, foreign: ForeignSite, url: string) {
  const json = JSON.stringify([{ ...TRUST, padding: "=" }]);
  const [name = "", value = ""] = json.split(/(?<=padding":")=/);
  await page.goto(foreign.formFor(url, [name, value]));
  const answered = page.waitForResponse((one) => {
    return one.request().method() === "POST" && one.request().url() === new URL(url).href;
  });
  await page.evaluate("document.forms[0].submit()");
  const answer = await answered;
  const { authorization } = await answer.request().allHeaders();
  return { status: answer.status(), text: await answer.text(), authorization };
}

type Sent = { readonly url: string; readonly method: string; readonly mode?: "no-cors" };

async function send({ url, method, mode }: Sent): Promise<string> {
  try {
    const init = { method, credentials: "include", body: "{}" } as const;
    const answer = await fetch(url, mode === undefined ? init : { ...init, mode });
    return String(answer.status);
  } catch (error) {
    return error instanceof Error ? error.name : "unknown";
  }
}
