import { createHash } from "node:crypto";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { ociArtifact } from "../artifacts.ts";
import { hasBrowser, launchBrowser, signInWithToken } from "./browser.ts";

/** Aligned columns were inline styles once, which the policy of the pages refuses. */
const README = "# Demo\n\n| left | middle | right |\n| :-- | :-: | --: |\n| a | b | 1 |\n";

const cleanUp = new AsyncDisposableStack();
let browser: Browser;
beforeAll(async () => {
  if (!hasBrowser) return;
  browser = await launchBrowser();
  cleanUp.defer(() => browser.close());
});
afterAll(() => cleanUp.disposeAsync());

async function publishAll(host: TestHost, token: string): Promise<void> {
  const nupkg = buildNupkg({
    id: "Demo",
    version: "1.0.0",
    metadata: "<readme>README.md</readme>",
    files: { "README.md": README },
  });
  const headers = { "x-nuget-apikey": token };
  const pushed = await host.fetch("/api/v2/package/", {
    method: "PUT",
    headers,
    body: new Uint8Array(nupkg),
  });
  expect(pushed.status).toBe(201);
  const manifest = { name: "demo", version: "1.0.0" };
  const tarball = buildTarball({ manifest, files: { "README.md": README } });
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const document = {
    _id: "demo",
    name: "demo",
    readme: README,
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { ...manifest, readme: README, dist: { integrity } } },
    _attachments: {
      "demo-1.0.0.tgz": { data: tarball.toString("base64"), length: tarball.length },
    },
  };
  const published = await host.fetch("/npm/demo", {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(document),
  });
  expect(published.status).toBe(200);
  expect(await ociArtifact("team/demo", Buffer.from("demo")).push(host, token)).toBe(true);
}

/** Each kind of page. */
const PAGES: Readonly<Record<string, number>> = {
  "/": 200,
  "/packages?q=demo": 200,
  "/packages/Demo": 200,
  "/packages/Demo/1.0.0/license": 404,
  "/packages/Absent": 404,
  "/npm-packages?q=demo": 200,
  "/npm-packages/demo": 200,
  "/images": 200,
  "/images/team/demo": 200,
  "/trust": 200,
  "/sign-in/AAAA-2222": 404,
  "/nowhere": 404,
};

describe.skipIf(!hasBrowser).each([
  ["open", "true"],
  ["closed", "false"],
])("pages of a registry with %s reading", (_, anonymous) => {
  let host: TestHost;
  let context: BrowserContext;
  let token: string;

  beforeAll(async () => {
    const env = {
      Feed__Authentication__AllowAnonymousPull: anonymous,
      Feed__Oci__Default__Enabled: "true",
    };
    host = cleanUp.use(await spawnHost({ env }));
    token = await host.makeToken({ scopes: "read,write" });
    await publishAll(host, token);
    context = await browser.newContext();
    context.setDefaultTimeout(30_000);
    if (anonymous === "true") return;
    const page = await context.newPage();
    await signInWithToken(page, host.url, token);
    await page.close();
  }, 120_000);
  afterAll(() => context.close());

  test.each(Object.entries(PAGES))("%s has no error in the console", async (path, status) => {
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => {
      const isOfPage = !message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && isOfPage) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("requestfailed", (request) => problems.push(`${request.url()} failed`));
    page.on("response", (response) => {
      const isPage = response.request().isNavigationRequest();
      if (!isPage && response.status() >= 400) problems.push(`${response.url()} is missing`);
    });
    const answer = await page.goto(`${host.url}${path}`, { waitUntil: "load" });
    expect(answer?.status()).toBe(status);
    expect(problems).toEqual([]);
    expect(await page.getByRole("search").count()).toBeGreaterThan(0);
    await page.close();
  });

  test("the front page shows the latest packages of all protocols, and searches each", async () => {
    const page = await context.newPage();
    // The front page does not require a token. The browser sends one after a page has required it.
    await page.goto(`${host.url}/packages`);
    await page.goto(host.url);
    const names = await page.locator(".packages .name").allTextContents();
    expect(names.toSorted()).toEqual(["Demo", "demo", "team/demo"]);
    for (const [button, path] of [
      ["NuGet", "/packages"],
      ["npm", "/npm-packages"],
      ["Images", "/images"],
    ] as const) {
      await page.goto(host.url);
      await page.getByRole("searchbox").fill("demo");
      await page.getByRole("button", { name: button, exact: true }).click();
      // The next `goto` must not interrupt this page: Chromium may then never finish either.
      await page.waitForURL(`${host.url}${path}?q=demo`, { waitUntil: "load" });
    }
    await page.close();
  });

  test.each([
    ["/feed", "/"],
    ["/npm", "/npm-packages"],
    ["/npm/feed", "/"],
    ["/npm/packages/demo", "/npm-packages/demo"],
    ["/oci", "/images"],
    ["/oci/repos/team%2Fdemo/1.0", "/images/team/demo:1.0"],
  ])("the older address %s redirects to %s", async (path, target) => {
    const page = await context.newPage();
    await page.goto(`${host.url}${path}`);
    expect(new URL(page.url()).pathname).toBe(target);
    await page.close();
  });

  test("readmes keep the alignment of their tables", async () => {
    const page = await context.newPage();
    for (const path of ["/packages/Demo", "/npm-packages/demo"]) {
      await page.goto(`${host.url}${path}`);
      const sides = await page.evaluate(
        `[...document.querySelectorAll(".readme td")].map((td) => getComputedStyle(td).textAlign)`,
      );
      expect(sides).toEqual(["left", "center", "right"]);
    }
    await page.close();
  });
});

describe.skipIf(!hasBrowser)("a registry with closed reading, without a token", () => {
  test("explains how to sign in instead of showing new packages", async () => {
    const env = { Feed__Authentication__AllowAnonymousPull: "false" };
    await using host = await spawnHost({ env });
    const token = await host.makeToken({ scopes: "read,write" });
    await publishAll(host, token).catch(() => undefined);
    await using context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(host.url);
    const card = page.getByRole("region", { name: "Recently published" });
    expect(await card.textContent()).toMatch(/A token or an account is required to read\. Sign in/);
    expect(await page.content()).not.toMatch(/packages\/Demo/);
    const link = await card.getByRole("link", { name: "Sign in" }).getAttribute("href");
    expect(link).toBe("/sign-in");
    const headers = { accept: "text/html", authorization: basicOf(token) };
    const answer = await host.fetch("/packages", { headers });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="Sealhouse"',
    ]);
  });
});

function basicOf(token: string): string {
  return `Basic ${Buffer.from(`me:${token}`).toString("base64")}`;
}
