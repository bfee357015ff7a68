import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, openPage } from "../testing/browser.ts";
import { faultsOf, sharedBrowser } from "../testing/page-checks.ts";
import { exampleSite } from "../testing/example-packages.ts";
import type { SignInPage } from "./model.ts";
import { createSignInApp } from "./sign-in-app.ts";

const waiting: SignInPage = {
  code: "BCDF-2345",
  purpose: "login",
  state: "waiting",
  until: new Date("2026-01-01T10:10:00Z"),
  address: "2001:db8:1234:5678:9abc:def0:1234:5678",
};

const cases: Readonly<Record<string, SignInPage | undefined>> = {
  "a login": waiting,
  "a confirmation": { ...waiting, purpose: "confirm" },
  "one that is agreed": { ...waiting, state: "agreed" },
  "none at all": undefined,
};

describe.skipIf(!hasBrowser)("in a browser", () => {
  const browser = sharedBrowser();
  beforeAll(browser.open);
  afterAll(browser.close);

  test.each(Object.entries(cases))(
    "%s: accessible in light and dark, never scrolls sideways",
    async (_, shown) => {
      const app = createSignInApp({ site: () => exampleSite(), waiting: async () => shown });
      const answer = async (request: Request) => app.fetch(request);
      await using opened = await openPage(browser.get(), { path: "sign-in/BCDF-2345", answer });
      const { page } = opened;
      expect(await faultsOf(page)).toEqual([]);
    },
  );

  test("the line for the operator comes into the clipboard as it is typed", async () => {
    const app = createSignInApp({ site: () => exampleSite(), waiting: async () => waiting });
    await using opened = await openPage(browser.get(), {
      path: "sign-in/BCDF-2345",
      permissions: ["clipboard-read", "clipboard-write"],
      answer: async (request) => app.fetch(request),
    });
    const { page } = opened;
    await page.getByRole("button", { name: /To agree/ }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "sealhouse npm login BCDF-2345 --name alice",
    );
  });
});
