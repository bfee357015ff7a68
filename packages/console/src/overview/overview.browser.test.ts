import { expect, test } from "vitest";
import { openExampleOverview } from "../testing/example-overview.ts";
import { describeInBrowser, faultsOf, testEveryPage } from "../testing/page-checks.ts";
import type { PageCases } from "../testing/page-checks.ts";

type Example = ReturnType<typeof openExampleOverview>;

const full = () => openExampleOverview();
const empty = () => openExampleOverview({ attention: [], count: 0 });

const cases: PageCases<() => Example> = {
  overview: ["administration", full],
  "an empty overview": ["administration", empty],
  "audit log": ["administration/audit", full],
  "an empty audit log": ["administration/audit?actor=nobody", empty],
  "a wrong filter of the audit log": ["administration/audit?since=soon", full],
  "a record": ["administration/audit/120", full],
  "a record with hostile texts": ["administration/audit/117", full],
};

function answering(example: Example) {
  return (request: Request) => {
    const headers = new Headers(request.headers);
    headers.set("authorization", example.authorizationOf("ada"));
    return example.app.fetch(new Request(request, { headers }));
  };
}

describeInBrowser((open) => {
  testEveryPage(open, cases, (shown) => answering(shown()));

  test("the keyboard alone finds why a pull was refused, without JavaScript", async () => {
    const answer = answering(full());
    await using opened = await open({ path: "administration", answer, javaScriptEnabled: false });
    const { page, problems } = opened;
    await page.getByRole("link", { name: "refused requests in 24 hours" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name").fill("npm/left-pad");
    await page.keyboard.press("Enter");
    await page.getByRole("rowheader").getByRole("link").first().focus();
    await page.keyboard.press("Enter");
    await page.getByText("Calls home; see ticket 4711.").first().waitFor();
    expect(problems).toEqual([]);
  });

  test("the theme changes at once, stays, and needs no script", async () => {
    const answer = answering(full());
    await using opened = await open({ path: "administration", answer });
    const { page, problems } = opened;
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await page.getByRole("button", { name: "Dark" }).click();
    expect(await background()).not.toBe(light);
    expect(await page.evaluate("document.cookie")).toBe("theme=dark");
    expect(await page.getByRole("button", { name: "Dark" }).getAttribute("aria-pressed")).toBe(
      "true",
    );
    await page.keyboard.press("/");
    expect(await faultsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
