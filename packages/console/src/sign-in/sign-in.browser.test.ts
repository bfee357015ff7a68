import { loginSession } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { describeInBrowser, testEveryPage } from "../testing/page-checks.ts";
import type { PageCases } from "../testing/page-checks.ts";
import { openExample, openSignedIn, SESSION } from "../testing/signed-in-example.ts";
import { exampleSite } from "../testing/example-packages.ts";
import type { SignInPage } from "./sign-in-page.ts";
import { createSignInApp } from "./sign-in-app.ts";

const waiting: SignInPage = {
  code: "BCDF-2345",
  purpose: "login",
  state: "waiting",
  until: new Date("2026-01-01T10:10:00Z"),
  address: "2001:db8:1234:5678:9abc:def0:1234:5678",
};

const PATH = "sign-in/BCDF-2345";
/** Less looks like boxes that touch. */
const SPACE_PX = 12;

const cases: PageCases<SignInPage | undefined> = {
  "a login": [PATH, waiting],
  "a confirmation": [PATH, { ...waiting, purpose: "confirm" }],
  "one that is agreed": [PATH, { ...waiting, state: "agreed" }],
  "none at all": [PATH, undefined],
};

function answering(shown: SignInPage | undefined) {
  const app = createSignInApp({ site: () => exampleSite(), waiting: async () => shown });
  return async (request: Request) => app.fetch(request);
}

/** Pages of people, with and without a session. */
const sessionCases: PageCases<"anonymous" | "signed in"> = {
  "the sign-in page": ["sign-in", "anonymous"],
  "a refused page": ["administration/rules", "anonymous"],
  "a sign-in that failed": ["signin-microsoft", "anonymous"],
  "the account": ["account", "signed in"],
  "a new passkey": ["account/passkeys/new", "signed in"],
  "a page of administrators": ["administration/rules/new", "signed in"],
  "a login that asks to administer": [PATH, "signed in"],
};

/** A signed-in administrator, and a client that asks to administer. */
async function openAsked(options: Parameters<typeof openSignedIn>[0]) {
  const browser = await openSignedIn(options);
  await browser.loginSessions.insert({
    ...loginSession({ code: waiting.code, subject: "admin", expiresAt: new Date("2027-01-01") }),
    address: "192.0.2.7",
  });
  return browser;
}

function answeringWithSession(visitor: "anonymous" | "signed in") {
  const home = "http://localhost:8080";
  // The page of a first passkey needs no confirmation then.
  const options = { home, canAskAgain: false };
  const browser = visitor === "anonymous" ? undefined : openAsked(options);
  const example = openExample({ home });
  return async (request: Request) => {
    const { app, cookies } = (await browser) ?? example;
    const headers = new Headers(request.headers);
    const secret = cookies.get(SESSION);
    if (secret !== undefined) headers.set("cookie", `${SESSION}=${secret}`);
    return app.fetch(new Request(request.url, { method: request.method, headers }));
  };
}

describeInBrowser((open) => {
  testEveryPage(open, cases, answering);
  testEveryPage(open, sessionCases, answeringWithSession);

  test("the card has space around it and in it", async () => {
    await using opened = await open({ path: PATH, answer: answering(waiting) });
    const { page } = opened;
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      if (!box) throw new Error(`${selector} is not shown`);
      return { ...box, bottom: box.y + box.height };
    };
    const [top, card, title] = [await boxOf(".top"), await boxOf(".card"), await boxOf("#code")];
    expect(card.y - top.bottom).toBeGreaterThanOrEqual(SPACE_PX);
    expect(title.y - card.y).toBeGreaterThanOrEqual(SPACE_PX);
    expect(title.x - card.x).toBeGreaterThanOrEqual(SPACE_PX);
    const foot = await boxOf("footer");
    expect(foot.y - card.bottom).toBeGreaterThanOrEqual(SPACE_PX);
  });

  test("the copy button copies the operator's command unchanged", async () => {
    await using opened = await open({
      path: PATH,
      permissions: ["clipboard-read", "clipboard-write"],
      answer: answering(waiting),
    });
    const { page } = opened;
    await page.getByRole("button", { name: /Approve/ }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "./sealhouse npm login BCDF-2345 --name alice",
    );
  });
});
