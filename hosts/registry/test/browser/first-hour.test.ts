import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { push } from "../pushed-package.ts";
import { addVirtualAuthenticator, hasBrowser, launchBrowser } from "./browser.ts";

const LONG = { timeout: 120_000 };

describe.skipIf(!hasBrowser)("the first administrator", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let browser: Browser;
  beforeAll(async () => {
    host = cleanUp.use(await spawnHost({}));
    browser = await launchBrowser();
    cleanUp.defer(() => browser.close());
  });
  afterAll(() => cleanUp.disposeAsync());

  test(
    "comes from the printed link to a publishing token with the browser alone",
    LONG,
    async () => {
      await using context = await browser.newContext();
      const page = await context.newPage();
      await addVirtualAuthenticator(page);
      const links = () => /http:\S+\/first-administrator\/[\w-]+/.exec(host.output())?.[0] ?? "";
      await expect.poll(links).not.toBe("");
      await page.goto(links());
      await page.getByRole("button", { name: "Become the administrator" }).click();
      await page.getByRole("link", { name: "Add a passkey" }).click();
      await page.getByLabel("Name").fill("Laptop");
      await page.getByRole("button", { name: "Create a passkey" }).click();
      await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor();
      await fillToken(page, "laptop");
      await page.getByText("laptop with read, publish; limits: None; expires: never").waitFor();
      await page.getByRole("button", { name: "Use a passkey" }).click();
      expect((await push(host, "First.Hour", await tokenOn(page))).status).toBe(201);
      await fillToken(page, "another");
      const codes = () =>
        /browser: (\w{4}-\w{4})\n {2}It confirms: another/.exec(host.output())?.[1];
      expect(codes()).toBeUndefined();
      await page.getByRole("button", { name: "Print a new code" }).click();
      await expect.poll(codes).toBeDefined();
      await page.getByRole("textbox", { name: "Code" }).fill(codes() ?? "");
      await page.getByRole("button", { name: "Confirm", exact: true }).click();
      expect((await push(host, "Second.Hour", await tokenOn(page))).status).toBe(201);
      expect(host.output().split("\n").filter(isLogOfCode)).toEqual([]);
    },
  );
});

/** Whether a line of the log contains a code. */
function isLogOfCode(line: string): boolean {
  return line.startsWith("{") && /browser: \w{4}-\w{4}/.test(line);
}

async function fillToken(page: Page, name: string): Promise<void> {
  await page.goto(new URL("/account", page.url()).href);
  await page.getByRole("link", { name: "Your API tokens" }).click();
  await page.getByRole("link", { name: "Create a token" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("publish: add versions").check();
  await page.getByLabel("Expires").fill("never");
  await page.getByRole("button", { name: "Create the token" }).click();
}

async function tokenOn(page: Page): Promise<string> {
  await page.getByRole("heading", { name: "Token created" }).waitFor();
  return ((await page.locator("#lines-token").textContent()) ?? "").trim();
}
