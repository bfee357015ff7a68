import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenOptions } from "./browser.ts";
import {
  ALL_RULES,
  COLOR_RULES,
  hasBrowser,
  HOME,
  launchBrowser,
  openPage,
  surplusWidthOf,
  unfold,
  violationsOn,
} from "./browser.ts";

/** Narrow phone, tablet, desktop. */
const WIDTHS = [320, 768, 1280];

/** Returns the accessibility problems of a page with all sections open. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  const faults: string[] = [];
  await unfold(page);
  const choices = await page.locator(".choices label").all();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const looks = choices.length === 0 ? [async () => undefined] : choices;
    for (const look of looks) {
      await (typeof look === "function" ? look() : look.click());
      const surplus = Number(await surplusWidthOf(page));
      if (surplus !== 0) faults.push(`scrolls ${surplus} pixels sideways at ${width}`);
    }
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === "light" ? ALL_RULES : COLOR_RULES;
    for (const violation of await violationsOn(page, rules)) {
      faults.push(`${colorScheme}: ${violation}`);
    }
  }
  return faults;
}

/** Folder that gets a picture of each page: `SHOTS=/tmp/shots vitest run …`. */
const SHOTS = process.env["SHOTS"];

/** Keeps pictures of a page in both themes, as a phone and a desktop show it. */
async function keepShots(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const file = `${name.replaceAll(/\W+/g, "-")}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: `${SHOTS}/${file}`, fullPage: true });
    }
  }
}

export type OpenedPage = Awaited<ReturnType<typeof openPage>>;
export type Open = (options: OpenOptions) => Promise<OpenedPage>;

/** Runs tests that share one browser; skipped when no browser is installed. */
export function describeInBrowser(tests: (open: Open) => void): void {
  describe.skipIf(!hasBrowser)("in a browser", () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(async () => browser?.close());
    tests((options) => {
      if (!browser) throw new Error("The browser is not open yet.");
      return openPage(browser, options);
    });
  });
}

/** By what is special about them; `Shown` is what the page is made of. */
export type PageCases<Shown> = Readonly<Record<string, readonly [path: string, shown: Shown]>>;

/** Each of these pages passes what every page must, whatever is on it. */
export function testEveryPage<Shown>(
  open: Open,
  cases: PageCases<Shown>,
  answering: (shown: Shown) => OpenOptions["answer"],
): void {
  test.each(Object.entries(cases))(
    "%s: accessible in light and dark, never scrolls sideways, loads nothing of others",
    async (name, [path, shown]) => {
      await using opened = await open({ path, answer: answering(shown) });
      const { page, problems, requests } = opened;
      await keepShots(page, name);
      expect(await faultsOf(page)).toEqual([]);
      expect(problems).toEqual([]);
      expect(requests.filter((url) => !url.startsWith(HOME))).toEqual([]);
    },
  );
}

/** Checks that instructions need no JavaScript, and that every button works. */
export function testChoiceWithoutScript(
  open: Open,
  options: OpenOptions & {
    readonly choice: string;
    /** Checks that the panel is visible only after its selection. */
    readonly line: string;
  },
): void {
  const { choice, line: text, ...contextOptions } = options;
  test("all instructions are visible without JavaScript, and every button works", async () => {
    await using opened = await open({ ...contextOptions, javaScriptEnabled: false });
    const { page } = opened;
    expect(await page.locator("button.copy:visible").count()).toBe(0);
    const line = page.getByText(text);
    expect(await line.isVisible()).toBe(false);
    await page.getByText(choice, { exact: true }).click();
    expect(await line.isVisible()).toBe(true);
  });
}
