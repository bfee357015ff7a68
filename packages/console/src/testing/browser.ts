import { existsSync } from "node:fs";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { createAssetsApp } from "../kit/assets/assets-app.ts";

/** The stylesheet and the script of the pages. */
const assets = createAssetsApp();

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

export const HOME = "http://localhost:8080/";

/** False, and said, where there is no browser to test with. */
export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) {
  process.stderr.write(`SKIPPED: pages in a browser; there is no ${CHROMIUM} (CHROMIUM_PATH).\n`);
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export type OpenOptions = BrowserContextOptions & {
  /** Below `HOME`; default the front page. */
  readonly path?: string;
  /** Answers every request the page makes, whatever its host. */
  readonly answer: (request: Request) => Response | Promise<Response>;
};

/** A page on which everything odd is noted, and every request for no file of the design. */
export async function openPage(browser: Browser, { path = "", answer, ...options }: OpenOptions) {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    // The browser itself logs a message for every status except 200.
    const isStatus = message.text().startsWith("Failed to load resource: the server responded");
    if (message.type() === "error" && !isStatus) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.route("**", async (route) => {
    const sent = route.request();
    const [file] = /\/assets\/console-.*$/.exec(sent.url()) ?? [];
    if (file === undefined) requests.push(sent.url());
    const body = sent.postData();
    const init = { method: sent.method(), headers: await sent.allHeaders(), body };
    const response =
      file === undefined ? await answer(new Request(sent.url(), init)) : await assets.request(file);
    const headers = Object.fromEntries(response.headers);
    const bytes = Buffer.from(await response.arrayBuffer());
    await route.fulfill({ status: response.status, headers, body: bytes });
  });
  await page.goto(new URL(path, HOME).href);
  return { page, problems, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** Pixels that would have to be scrolled sideways. */
export function surplusWidthOf(page: Page): Promise<unknown> {
  return page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
}

/** Opens what is folded, so that nothing escapes a look. */
export async function unfold(page: Page): Promise<void> {
  await page.locator("details").evaluateAll((all) => {
    for (const element of all) element.setAttribute("open", "");
  });
}

/** WCAG 2.2 A and AA, and the best practices of axe. */
export const ALL_RULES: readonly string[] = [
  "wcag2a",
  "wcag2aa",
  "wcag21a",
  "wcag21aa",
  "wcag22aa",
  "best-practice",
];

/** Rules about colors: another color scheme cannot break the others. */
export const COLOR_RULES: readonly string[] = ["color-contrast", "link-in-text-block"];

/** Everything that axe finds against these rules or groups of rules. */
export async function violationsOn(
  page: Page,
  rules: readonly string[] = ALL_RULES,
): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const violations: unknown = await page.evaluate(`axe.run(document, {
    runOnly: ${JSON.stringify(rules)},
  }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html).join(" | ")))`);
  return Array.isArray(violations) ? violations.map(String) : [String(violations)];
}
