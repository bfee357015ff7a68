import { existsSync } from "node:fs";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConsoleApp } from "./console-app.ts";
import type { FrontPageModel } from "./model.ts";
import { notFoundResponse } from "./not-found-page.ts";
import { exampleModel } from "./testing/example-model.ts";

const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-dev-shm-usage",
];
const HOME = "http://localhost:8080/";
const LOST = `${HOME}lost`;
const present = existsSync(CHROMIUM);
if (!present) {
  process.stderr.write(`SKIPPED: pages in a browser; there is no ${CHROMIUM} (CHROMIUM_PATH).\n`);
}

const long = "Acme.Very.Long.".repeat(8);
const { latest, signing } = exampleModel();
const states: Readonly<Record<string, Partial<FrontPageModel>>> = {
  full: {
    latest: [
      ...latest,
      { protocol: "nuget", name: long, version: "9".repeat(60), publishedAt: new Date(0) },
    ],
  },
  empty: { latest: [], signing: undefined, anonymousRead: false },
  "far away": { address: "http://packages.department.example.com:8080/registry", signing },
};

/** A page on which every request is answered by the app, and everything odd is noted. */
async function openPage(
  browser: Browser,
  { url = HOME, ...options }: BrowserContextOptions & { url?: string },
  fields: Partial<FrontPageModel>,
) {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  const app = createConsoleApp({ page: async () => exampleModel(fields) });
  await page.route("**", async (route) => {
    requests.push(route.request().url());
    const lost = route.request().url() === LOST;
    const response = await (lost
      ? notFoundResponse({ name: "Sealhouse" }, "/lost")
      : app.request("/"));
    const headers = Object.fromEntries(response.headers);
    await route.fulfill({
      status: lost ? 200 : response.status,
      headers,
      body: await response.text(),
    });
  });
  await page.goto(url);
  return { page, problems, requests, [Symbol.asyncDispose]: () => context.close() };
}

const surplusWidthOf = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

describe.skipIf(!present)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });
  afterAll(() => browser.close());

  describe.each(Object.entries(states))("%s", (_, fields) => {
    test("needs no script, loads nothing else, has nothing to complain about", async () => {
      await using opened = await openPage(browser, { javaScriptEnabled: false }, fields);
      expect(await opened.page.getByRole("heading", { level: 1 }).textContent()).toBe("Sealhouse");
      expect(await opened.page.evaluate("getComputedStyle(document.body).margin")).toBe("0px");
      expect(opened.requests).toEqual([HOME]);
      expect(opened.problems).toEqual([]);
    });

    test("is accessible in light and dark, and never scrolls sideways", async () => {
      await using opened = await openPage(browser, {}, fields);
      const { page } = opened;
      await page.locator("details").evaluateAll((all) => {
        for (const one of all) one.setAttribute("open", "");
      });
      for (const width of [320, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await surplusWidthOf(page), `at ${width} pixels`).toBe(0);
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violationsOn(page), colorScheme).toEqual([]);
      }
    });
  });

  test("a wrapped line is copied as one", async () => {
    await using opened = await openPage(browser, { viewport: { width: 320, height: 800 } }, {});
    const copied = await opened.page.evaluate(`(() => {
      getSelection().selectAllChildren(document.querySelector("#guide-nuget ~ ol pre"));
      return getSelection().toString();
    })()`);
    expect(copied).toBe(
      "dotnet nuget add source http://localhost:8080/v3/index.json --name sealhouse " +
        "--allow-insecure-connections",
    );
  });

  test("the page for what is missing is as accessible, and as narrow", async () => {
    const options = { url: LOST, viewport: { width: 320, height: 800 } };
    await using opened = await openPage(browser, options, {});
    expect(await violationsOn(opened.page)).toEqual([]);
    expect(await surplusWidthOf(opened.page)).toBe(0);
    expect(opened.problems).toEqual([]);
  });
});

/** Everything axe finds against WCAG 2.2 A and AA and its own best practices. */
async function violationsOn(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html).join(" | ")))`);
}
