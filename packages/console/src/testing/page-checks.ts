import type { Browser, Page } from "playwright-core";
import { launchBrowser, surplusWidthOf, unfold, violationsOn } from "./browser.ts";

/** Narrow phone, tablet, desktop. */
const WIDTHS = [320, 768, 1280];

/**
 * What is wrong with a page that everybody has to be able to use. It is looked at with everything
 * unfolded, in all its choices, at three widths and in both colour schemes.
 */
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
    for (const violation of await violationsOn(page)) faults.push(`${colorScheme}: ${violation}`);
  }
  return faults;
}

/** One browser for the tests of a file; give `open` and `close` to what runs before and after. */
export function sharedBrowser() {
  let opened: Browser | undefined;
  return {
    open: async () => {
      opened = await launchBrowser();
    },
    close: async () => opened?.close(),
    get: (): Browser => {
      if (!opened) throw new Error("The browser is not open yet.");
      return opened;
    },
  };
}
