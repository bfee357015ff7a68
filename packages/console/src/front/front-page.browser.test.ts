import { describe, expect, test } from "vitest";
import { createConsoleApp } from "./console-app.ts";
import type { FrontPageModel } from "./model.ts";
import { notFoundResponse } from "../kit/refusals/not-found-page.ts";
import { HOME } from "../testing/browser.ts";
import { exampleModel } from "../testing/example-model.ts";
import { exampleSite } from "../testing/example-packages.ts";
import { describeInBrowser, faultsOf } from "../testing/page-checks.ts";

const LOST = "lost";
const long = "Acme.Very.Long.".repeat(8);
const { latest, signing } = exampleModel();
const states: Readonly<Record<string, Partial<FrontPageModel>>> = {
  full: {
    latest: [
      ...(latest ?? []),
      { protocol: "nuget", name: long, version: "9".repeat(60), publishedAt: new Date(0) },
    ],
  },
  empty: { latest: [], signing: undefined },
  closed: { latest: undefined, anonymousRead: false },
  "far away": { address: "http://packages.department.example.com:8080/registry", signing },
};

/** The front page with these fields; the page for what is missing under `LOST`. */
function answering(fields: Partial<FrontPageModel>) {
  const app = createConsoleApp({ page: async () => exampleModel(fields) });
  return async (request: Request) =>
    request.url === `${HOME}${LOST}`
      ? await notFoundResponse(exampleSite(), `/${LOST}`)
      : await app.request("/");
}

describeInBrowser((open) => {
  describe.each(Object.entries(states))("%s", (_, fields) => {
    test("needs no script, loads nothing else, logs no error", async () => {
      await using opened = await open({
        javaScriptEnabled: false,
        answer: answering(fields),
      });
      expect(await opened.page.getByRole("heading", { level: 1 }).textContent()).toBe("Sealhouse");
      expect(await opened.page.evaluate("getComputedStyle(document.body).margin")).toBe("0px");
      expect(opened.requests).toEqual([HOME]);
      expect(opened.problems).toEqual([]);
    });

    test("is accessible in light and dark, and never scrolls sideways", async () => {
      await using opened = await open({ answer: answering(fields) });
      const { page } = opened;
      expect(await faultsOf(page)).toEqual([]);
    });
  });

  test("the copy button copies a wrapped line without breaks", async () => {
    await using opened = await open({
      viewport: { width: 320, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
      answer: answering({}),
    });
    const { page } = opened;
    const step = page.locator("#guide-nuget ~ ol li").first();
    await step.locator("button.copy").first().click();
    await step.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "dotnet nuget add source http://localhost:8080/v3/index.json --name sealhouse " +
        "--allow-insecure-connections",
    );
  });

  test("a selected wrapped line has no breaks, where no button can copy it", async () => {
    await using opened = await open({
      viewport: { width: 320, height: 800 },
      answer: answering({}),
    });
    const copied = await opened.page.evaluate(`(() => {
      getSelection().selectAllChildren(document.querySelector("#guide-nuget ~ ol pre"));
      return getSelection().toString();
    })()`);
    expect(copied).toBe(
      "dotnet nuget add source http://localhost:8080/v3/index.json --name sealhouse " +
        "--allow-insecure-connections",
    );
  });

  test("the 404 page is accessible and never scrolls sideways", async () => {
    await using opened = await open({
      path: LOST,
      answer: answering({}),
    });
    expect(await faultsOf(opened.page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });
});
