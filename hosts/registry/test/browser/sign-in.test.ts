import type { OpenIdStandIn } from "@sealhouse/identity/testing";
import { openOpenIdStandIn } from "@sealhouse/identity/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { freePort } from "../free-port.ts";
import { addVirtualAuthenticator, hasBrowser, launchBrowser, openForeignSite } from "./browser.ts";
import { hasFirefox, openFirefox } from "./firefox.ts";
import { followLink, openChromium, submitByScript, submitForm } from "./scripted-page.ts";
import type { ScriptedPage } from "./scripted-page.ts";

const LONG = { timeout: 120_000 };

const BROWSERS = [
  ["Chromium", openChromium, hasBrowser],
  ["Firefox", openFirefox, hasFirefox],
] as const;

describe.skipIf(!hasBrowser)("a person who signs in with a browser", () => {
  const cleanUp = new AsyncDisposableStack();
  let provider: OpenIdStandIn;
  let host: TestHost;
  let browser: Browser;
  let home = "";
  /** A token with the scope `admin`. */
  let admin = "";
  beforeAll(async () => {
    const port = await freePort();
    home = `http://localhost:${port}`;
    provider = cleanUp.use(
      await openOpenIdStandIn({
        kind: "microsoft",
        users: { ada: { claims: { name: "Ada Lovelace" } }, eve: {} },
        redirectUris: [`${home}/signin-microsoft`],
      }),
    );
    host = cleanUp.use(
      await spawnHost({
        env: {
          ...provider.settings,
          ASPNETCORE_URLS: home,
          Feed__Authentication__AllowAnonymousPull: "false",
          Logging__LogLevel__Default: "Debug",
        },
      }),
    );
    admin = await host.makeToken({ scopes: "admin" });
    browser = await launchBrowser();
    cleanUp.defer(() => browser.close());
  });
  afterAll(() => cleanUp.disposeAsync());

  async function enter(page: Page, account: string): Promise<void> {
    await page.getByLabel("Account").fill(account);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  async function signIn(page: Page, path: string): Promise<void> {
    await page.goto(`${home}${path}`);
    await page.getByRole("link", { name: "Sign in with Microsoft" }).click();
    await enter(page, "ada");
    await page.getByRole("link", { name: "Signed in as Ada Lovelace" }).waitFor();
  }

  test("comes back to the page without code and state, with a safe cookie", LONG, async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    const refused = await page.goto(`${home}/packages?q=acme`);
    expect(refused?.status()).toBe(401);
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await signIn(page, new URL(page.url()).pathname + new URL(page.url()).search);
    expect(page.url()).toBe(`${home}/packages?q=acme`);
    const cookies = (await context.cookies(home)).filter(({ name }) => name.includes("sealhouse"));
    const [session] = cookies.filter(({ name }) => !name.endsWith("-form"));
    expect(session).toMatchObject({
      name: `__Host-sealhouse-${new URL(home).port}`,
      path: "/",
      domain: "localhost",
      expires: -1,
      httpOnly: true,
      secure: true,
      sameSite: "Lax",
    });
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(host.output()).not.toMatch(/[?&](?:code|state)=(?!\[redacted\])/);
  });

  test("a second click and the back button end in the session", LONG, async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    const callbacks: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/signin-microsoft")) callbacks.push(request.url());
    });
    await signIn(page, "/sign-in");
    await page.goto(callbacks[0] ?? "");
    expect(page.url()).toBe(`${home}/`);
    await page.getByRole("link", { name: "Signed in as Ada Lovelace" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Signed in as Ada Lovelace" }).waitFor();
  });

  test("after a sign-out, the back button shows no page of the session", LONG, async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    await signIn(page, "/sign-in?returnUrl=/packages");
    await page.goto(`${home}/account`);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    await page.goBack();
    await page.waitForLoadState();
    expect(await page.content()).not.toContain("Ada Lovelace");
    expect((await context.cookies(home)).filter(({ name }) => /-\d+$/.test(name))).toEqual([]);
  });

  test("adds a passkey, and confirms with it and with the same account only", LONG, async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await addVirtualAuthenticator(page);
    await signIn(page, "/sign-in?returnUrl=/account");
    await page.getByRole("link", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("link", { name: "Confirm with Microsoft" }).click();
    await enter(page, "eve");
    await page.getByText("Confirm with the account that you use here").waitFor();
    expect(problems.splice(0)).toEqual([expect.stringContaining("403")]);
    await page.getByRole("link", { name: "Go back" }).click();
    await page.getByRole("link", { name: "Confirm with Microsoft" }).click();
    await enter(page, "ada");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Name").fill("Laptop");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor();
    await page.getByRole("link", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("has a passkey of your account already").waitFor();
    await context.clearCookies();
    await signIn(page, "/sign-in?returnUrl=/account");
    await page.getByRole("button", { name: "Remove Laptop" }).click();
    await page.getByRole("heading", { name: "Remove the passkey Laptop?" }).waitFor();
    await page.getByRole("button", { name: "Remove the passkey" }).click();
    expect(await page.getByText("add or remove a passkey").count()).toBe(1);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  test("a forwarded host name never becomes the callback", async () => {
    const start = (headers: Readonly<Record<string, string>>) =>
      fetch(`${home}/sign-in/with/microsoft`, { headers, redirect: "manual" });
    const answer = await start({});
    const page = new URL(answer.headers.get("location") ?? "");
    expect(page.searchParams.get("redirect_uri")).toBe(`${home}/signin-microsoft`);
    expect(page.searchParams.get("code_challenge_method")).toBe("S256");
    // A proxy on this machine is trusted, and no public address is configured.
    const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
    const refused = await start(forwarded);
    expect([refused.status, refused.headers.get("location")]).toEqual([503, null]);
    expect(await refused.text()).toContain("Feed__PublicBaseUrl");
  });

  describe.each(BROWSERS)("with %s", (_, openBrowser, isInstalled) => {
    test.skipIf(!isInstalled)(
      "signs in and submits every kind of form, and other sites submit none",
      LONG,
      async () => {
        await using page = await openBrowser();
        await page.goto(`${home}/sign-in?returnUrl=/account`);
        await followLink(page, "Sign in with Microsoft");
        const signedIn = await submitForm(page, { button: "Sign in", fields: { login: "ada" } });
        expect([await page.run("location.href"), signedIn]).toEqual([
          `${home}/account`,
          expect.stringContaining("Ada Lovelace"),
        ]);
        expect(await sessionIn(page)).toMatchObject([
          {
            path: "/",
            domain: "localhost",
            isForSession: true,
            httpOnly: true,
            secure: true,
            sameSite: "lax",
          },
        ]);
        expect(await page.run("document.cookie")).toBe("");
        await attack(page);
        const login = await host.fetch("/npm/-/v1/login", { method: "POST" });
        const { loginUrl } = (await login.json()) as { readonly loginUrl: string };
        await page.goto(home + new URL(loginUrl).pathname);
        expect(await submitForm(page, { button: "Deny" })).toContain("Denied");
        await page.goto(`${home}/account`);
        await submitForm(page, { button: "Sign out everywhere" });
        expect(await sessionIn(page)).toEqual([]);
        await useForms(page);
        await page.goto(`${home}/account`);
        await submitForm(page, { button: "Sign out" });
        expect(await sessionIn(page)).toEqual([]);
      },
    );
  });

  async function sessionIn(page: ScriptedPage) {
    const name = `__Host-sealhouse-${new URL(home).port}`;
    return (await page.cookies()).filter((cookie) => cookie.name === name);
  }

  /** Forms of another port, with which browsers send the cookie, and of another site. */
  async function attack(page: ScriptedPage): Promise<void> {
    await using foreign = await openForeignSite();
    const form = new URL(foreign.formFor(`${home}/account/sign-out-everywhere`, ["proof", "x"]));
    for (const hostname of ["localhost", "127.0.0.1"]) {
      form.hostname = hostname;
      await page.goto(form.href);
      expect(await submitByScript(page)).toContain("A page of another site sent this request");
    }
    await page.goto(`${home}/account`);
    expect(await page.run("document.body.innerText")).toContain("Ada Lovelace");
  }

  /** Forms of administrators. */
  async function useForms(page: ScriptedPage): Promise<void> {
    await page.goto(`${home}/sign-in`);
    const own = await submitForm(page, { button: "Sign in", fields: { token: admin } });
    expect(own).toContain("Signed in as");
    const send = async (form: Parameters<typeof submitForm>[1]) => {
      expect(await submitForm(page, form)).toContain("Confirm that it is you");
      return submitForm(page, { button: "Confirm", fields: { token: admin } });
    };
    await page.goto(`${home}/administration/rules/new`);
    const rule = { effect: "deny", protocol: "npm", pattern: "left-pad", reason: "A test." };
    expect(await send({ button: "Add the rule", fields: rule })).toContain("The rule was added.");
    const asked = await submitForm(page, { button: "Remove" });
    expect(asked).toContain("Remove the rule about left-pad?");
    expect(await send({ button: "Remove the rule" })).toContain("The rule was removed.");
    await page.goto(`${home}/administration/names`);
    const name = { protocol: "npm", name: "@acme/kept" };
    expect(await send({ button: "Reserve", fields: name })).toContain("@acme/kept is reserved");
    const release = await submitForm(page, { button: "Release", fields: name });
    expect(release).toContain("Release @acme/kept?");
    expect(await send({ button: "Release the name" })).toContain("no longer reserved");
  }

  test("no page asks the browser for a password", LONG, async () => {
    await using context = await browser.newContext({
      httpCredentials: { username: "me", password: admin },
    });
    const page = await context.newPage();
    for (const path of [
      "/packages",
      "/administration/package-sources",
      "/images",
      "/npm-packages",
    ]) {
      const answer = await page.goto(`${home}${path}`);
      expect([path, answer?.status()]).toEqual([path, 401]);
      expect(await answer?.headerValue("www-authenticate")).not.toMatch(/basic/i);
    }
  });
});
