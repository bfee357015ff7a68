import { expect, test } from "vitest";
import {
  describeInBrowser,
  testChoiceWithoutScript,
  testEveryPage,
} from "../testing/page-checks.ts";
import type { PageCases } from "../testing/page-checks.ts";
import {
  exampleHit,
  examplePackages,
  examplePage,
  exampleHistory,
} from "../testing/example-packages.ts";
import type { PackagesPorts } from "./packages-app.ts";
import { createPackagesApp } from "./packages-app.ts";

const LONG = "Acme.Very.Long.Name.".repeat(5);
const WORD = "unbreakable".repeat(20);

const plain = examplePage({
  deprecation: undefined,
  advisories: [],
  signature: undefined,
  listed: false,
  hasIcon: true,
  readme: { status: "none" },
  dependencyGroups: [],
  dependents: { totalHits: 0, packages: [] },
  license: { type: "file" },
  packageTypes: ["DotnetTool"],
  history: exampleHistory(1),
});
const large = examplePage({
  id: LONG,
  title: WORD,
  description: WORD,
  authors: WORD,
  owners: [WORD, "ada"],
  tags: [WORD, "b"],
  frameworks: [WORD],
  releaseNotes: WORD,
  copyright: WORD,
  projectUrl: `https://a.example/${WORD}`,
  readme: {
    status: "text",
    text: `##### ${WORD}\n\n| a | b |\n|-|-|\n| ${WORD} | \`${WORD}\` |\n\n\`\`\`\n${WORD}\n\`\`\``,
  },
  history: exampleHistory(250),
});

const cases: PageCases<Partial<PackagesPorts>> = {
  "search with hits": ["packages?q=acme&skip=20&packageType=Other", {}],
  "search with long hits": [
    "packages",
    {
      search: async () => ({
        status: "found",
        totalHits: 1,
        hits: [
          exampleHit({ id: LONG, title: WORD, description: WORD, authors: WORD, tags: [WORD] }),
        ],
      }),
    },
  ],
  "search without hits": [
    "packages?q=nothing",
    { search: async () => ({ status: "found", totalHits: 0, hits: [] }) },
  ],
  "a search that cannot be understood": [
    "packages?q=x",
    { search: async () => ({ status: "invalid", problem: "This filter is not known." }) },
  ],
  "a package with everything": ["packages/Acme.Core/2.11.0", {}],
  "a package with next to nothing": [
    "packages/Acme.Core",
    { page: async () => ({ status: "found", page: plain }) },
  ],
  "a package with a long history and long names": [
    "packages/Acme.Core",
    { page: async () => ({ status: "found", page: large }) },
  ],
  "a license": ["packages/Acme.Core/2.11.0/license", {}],
  "no such package": [
    `packages/${LONG}`,
    { page: async () => ({ status: "absent", near: ["Acme.Core", LONG] }) },
  ],
  "no token": ["packages", { search: async () => ({ status: "anonymous" }) }],
};

/** Removes the challenge, so that the browser does not ask for a password. */
function withoutPrompt(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.delete("www-authenticate");
  return new Response(response.body, { status: response.status, headers });
}

function answering(ports: Partial<PackagesPorts>) {
  const app = createPackagesApp(examplePackages(ports));
  return async (request: Request) =>
    request.url.endsWith("/icon")
      ? new Response("<svg xmlns='http://www.w3.org/2000/svg'/>", {
          headers: { "content-type": "image/svg+xml" },
        })
      : withoutPrompt(await app.fetch(request));
}

describeInBrowser((open) => {
  testEveryPage(open, cases, answering);

  test("a user reaches a package from the search and copies its lines", async () => {
    await using opened = await open({
      path: "packages",
      permissions: ["clipboard-read", "clipboard-write"],
      answer: answering({}),
    });
    const { page, problems, requests } = opened;
    await page.getByRole("searchbox").fill("acme core");
    await page.getByLabel("Prereleases").selectOption("false");
    await page.getByRole("button", { name: "Search" }).click();
    expect(new URL(requests.at(-1) ?? "").searchParams.get("q")).toBe("acme core");
    expect(new URL(requests.at(-1) ?? "").searchParams.get("prerelease")).toBe("false");
    expect(await page.getByRole("searchbox").inputValue()).toBe("acme core");
    await page.getByRole("link", { name: "Acme.Core" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("Acme.Core");
    await page.getByRole("radio", { name: "Central management" }).focus();
    await page.keyboard.press("Space");
    const copy = page.getByRole("button", { name: /Directory\.Packages\.props/ });
    await copy.click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      '<PackageVersion Include="Acme.Core" Version="2.11.0" />',
    );
    expect(problems).toEqual([]);
  });

  test("the copy button works over plain http without the clipboard API", async () => {
    await using opened = await open({
      path: "http://packages.lan/packages/Acme.Core",
      answer: answering({}),
    });
    const { page } = opened;
    expect(await page.evaluate("navigator.clipboard === undefined")).toBe(true);
    await page.getByRole("button", { name: /In the project folder/ }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("getSelection().toString()")).toBe(
      "dotnet add package Acme.Core --version 2.11.0",
    );
  });

  testChoiceWithoutScript(open, {
    path: "packages/Acme.Core",
    answer: answering({}),
    choice: "Paket",
    line: "dotnet paket add Acme.Core --version 2.11.0",
  });
});
