import { createTestToken } from "@sealhouse/identity/testing";
import { decide } from "@sealhouse/upstream-sources";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { Withholding } from "../kit/packages/withheld-versions.ts";
import { createNpmPackagesApp } from "../npm/npm-packages-app.ts";
import { openAsBrowser } from "../testing/administration-browser.ts";
import { exampleAdministration } from "../testing/example-administration.ts";
import { exampleNpmPackages, exampleNpmPage } from "../testing/example-npm.ts";
import { exampleSite } from "../testing/example-packages.ts";
import { describeInBrowser, faultsOf, testEveryPage } from "../testing/page-checks.ts";
import type { PageCases } from "../testing/page-checks.ts";
import { openSignedInPeople } from "../testing/people-browser.ts";
import { SESSION } from "../testing/signed-in-example.ts";

type Example = Pick<
  Awaited<ReturnType<typeof exampleAdministration>>,
  "app" | "authorizationOf" | "ports"
>;

const cases: PageCases<undefined> = {
  sources: ["administration/package-sources?notice=added", undefined],
  "a source": ["administration/package-sources/partner-feed", undefined],
  "a new source": ["administration/package-sources/new", undefined],
  names: ["administration/names", undefined],
  rules: ["administration/rules", undefined],
  "a new rule": ["administration/rules/new", undefined],
  "an unknown source": ["administration/package-sources/unknown", undefined],
};

/** Pages that a session shows; `ID` is the id of a token. */
const sessionCases: PageCases<undefined> = {
  users: ["administration/users?q=a", undefined],
  "a blocked user": ["administration/users/grace?notice=blocked", undefined],
  "a team": ["administration/teams/web?notice=added", undefined],
  "service accounts": ["administration/accounts", undefined],
  "an own token": ["account/tokens/ID", undefined],
  "a new token": ["account/new-token", undefined],
};

/** Answers as to the browser of Ada, who has a token from which another was made. */
function answeringAda(browser: ReturnType<typeof openSignedInPeople>) {
  return async (request: Request): Promise<Response> => {
    const { app, cookies, registry, tokens } = await browser;
    const ada = await registry.people.find("ada");
    const { record } = createTestToken({ name: "ci <1>", patterns: ["@acme/*".repeat(9)] });
    const token = { ...record, id: "ID", owner: "ada", ...(ada && { userId: ada.id }) };
    if (!(await tokens.findById("ID"))) {
      await tokens.insert(token, { actor: "test" });
      await tokens.insert({ ...token, id: "child", parentId: "ID" }, { actor: "test" });
      const { id = "" } = (await registry.people.find("grace")) ?? {};
      await registry.people.setState(id, { state: "blocked", reason: "Left." }, { actor: "test" });
    }
    const ask = (from: Request): Promise<Response> | Response => {
      const headers = new Headers(from.headers);
      headers.set("cookie", `${SESSION}=${cookies.get(SESSION)}`);
      return app.fetch(new Request(from, { headers }));
    };
    const answer = await ask(request);
    const location = answer.headers.get("location");
    return location === null ? answer : ask(new Request(new URL(location, request.url)));
  };
}

/** Sends the token of an administrator, and follows what the server redirects to. */
function answering(example: Example | Promise<Example>, app?: Hono) {
  return async (request: Request): Promise<Response> => {
    const opened = await example;
    const pages = app ?? opened.app;
    const headers = new Headers(request.headers);
    headers.set("authorization", opened.authorizationOf("ada"));
    const answer = await pages.fetch(new Request(request, { headers }));
    const location = answer.headers.get("location");
    if (location === null) return answer;
    return pages.fetch(new Request(new URL(location, request.url), { headers }));
  };
}

/** The pages of administrators, and an npm package whose versions follow the rules. */
function pagesWithPackage({ app, ports }: Example): Hono {
  const pages = new Hono();
  pages.route("/", app);
  const page = exampleNpmPage({ name: "left-pad", version: "1.2.0" });
  const withheld = async (): Promise<readonly (Withholding & { readonly version: string })[]> => {
    const rules = await ports.rules.list();
    const now = exampleSite().now;
    const wanted = { protocol: "npm", name: "left-pad", publishedAt: now } as const;
    const source = { name: "npmjs", minimumReleaseAgeMs: 7 * 24 * 3_600_000 };
    const decisions = ["1.2.0", "2.0.0"].map((version) => {
      const facts = () => ({});
      const aged = version === "2.0.0" ? { source } : {};
      return { version, ...decide({ ...wanted, version, facts, ...aged }, rules, now) };
    });
    return decisions.flatMap((decision) => (decision.status === "allowed" ? [] : [decision]));
  };
  const packages = exampleNpmPackages({
    page: async () => ({ status: "found", page: { ...page, withheld: await withheld() } }),
  });
  pages.route("/", createNpmPackagesApp(packages));
  return pages;
}

describeInBrowser((open) => {
  testEveryPage(open, cases, () => answering(exampleAdministration()));

  testEveryPage(open, sessionCases, () => answeringAda(openSignedInPeople()));

  test("a user creates a token, which programs use", async () => {
    const ada = await openSignedInPeople();
    const answer = answeringAda(Promise.resolve(ada));
    await using opened = await open({ path: "account", answer });
    const { page, problems } = opened;
    await page.getByRole("link", { name: "Your API tokens" }).click();
    await page.getByRole("link", { name: "Create a token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("laptop");
    await page.getByLabel("admin: administer the registry").check();
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByText("laptop with read, admin").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const link = page.getByRole("link", { name: "Confirm with Microsoft" });
    const [, , , id = ""] = (await link.getAttribute("href"))?.split("/") ?? [];
    const session = await ada.sessions.find(ada.cookies.get(SESSION) ?? "", { mayRotate: false });
    if (session) await ada.ports.confirmations.confirm(session, id);
    await page.goto(new URL(`/account/confirm/${id}`, page.url()).href);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Token created" }).waitFor();
    const token = await page.locator("#lines-token").textContent();
    expect(await faultsOf(page)).toEqual([]);
    const headers = { authorization: `Bearer ${token?.trim()}` };
    const users = await ada.app.request("http://localhost:8080/administration/users", { headers });
    expect(users.status).toBe(200);
    await page.getByRole("link", { name: "All tokens" }).click();
    await page.getByRole("link", { name: "laptop" }).click();
    await page.getByRole("button", { name: "Revoke the token" }).click();
    await page.getByRole("heading", { name: "Revoke the token laptop?" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Revoke the token" }).click();
    await page.getByText("The token is revoked").waitFor();
    const gone = await ada.app.request("http://localhost:8080/administration/users", { headers });
    expect(gone.status).toBe(401);
    expect(problems).toEqual([]);
  });

  test("an administrator adds and disables a source, without JavaScript", async () => {
    const example = await openAsBrowser();
    const path = "administration/package-sources";
    const answer = answering(example);
    await using opened = await open({ path, answer, javaScriptEnabled: false });
    const { page, problems } = opened;
    await page.getByRole("link", { name: "Add a source" }).click();
    await page.getByLabel("Name", { exact: true }).fill("npmjs");
    await page.getByLabel("Protocol").selectOption("npm");
    await page.getByLabel("URL").fill("registry.npmjs.org");
    await page.getByLabel("Password").fill("s3cret");
    await page.getByRole("button", { name: "Add the source" }).click();
    await page.getByRole("heading", { name: "Nothing was changed" }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("npmjs");
    expect(await page.getByLabel("Password").inputValue()).toBe("s3cret");
    await page.getByLabel("User name").fill("ada");
    await page.getByLabel("URL").fill("https://registry.npmjs.org");
    await page.getByRole("button", { name: "Add the source" }).click();
    await page.getByText("The source was added.").waitFor();
    expect(await page.getByRole("listitem").textContent()).toContain("Not called yet");
    await page.getByRole("button", { name: "Disable npmjs" }).click();
    await page.getByText("The source is disabled.").waitFor();
    expect(await page.content()).not.toContain("s3cret");
    expect(problems).toEqual([]);
    expect((await example.ports.sources.list())[0]).toMatchObject({ isEnabled: false });
  });

  test("a rule that an administrator adds shows on the page of the package", async () => {
    const example = await openAsBrowser();
    const path = "administration/rules";
    await using opened = await open({
      path,
      answer: answering(example, pagesWithPackage(example)),
    });
    const { page, problems } = opened;
    await page.getByRole("link", { name: "Add a rule" }).click();
    await page.getByLabel("Name", { exact: true }).fill("left-pad");
    await page.getByLabel("Versions", { exact: true }).fill("<1.3.0");
    await page.getByLabel("Reason").fill("Calls <home>.");
    await page.getByLabel("Ends").fill("2027-01-31");
    await page.getByRole("button", { name: "Add the rule" }).click();
    await page.getByText("The rule was added.").waitFor();
    await page.goto("http://localhost:8080/npm-packages/left-pad/v/1.2.0");
    const denied = page.getByRole("region", { name: "This version is denied" });
    expect(await denied.textContent()).toMatch(/Calls <home>\.[^]*Until 2027-01-31 00:00 UTC/);
    const others = page.getByRole("region", { name: "held back or denied" });
    expect(await others.textContent()).toMatch(/2\.0\.0[^]*Held back[^]*Until 2026-03-08/);
    expect(await faultsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
