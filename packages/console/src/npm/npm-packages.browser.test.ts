import { expect, test } from "vitest";
import { exampleNpmHit, exampleNpmPackages, exampleNpmPage } from "../testing/example-npm.ts";
import { exampleHistory, exampleSite } from "../testing/example-packages.ts";
import {
  describeInBrowser,
  testChoiceWithoutScript,
  testEveryPage,
} from "../testing/page-checks.ts";
import type { PageCases } from "../testing/page-checks.ts";
import type { NpmPackagesPorts } from "./npm-packages-app.ts";
import { createNpmPackagesApp } from "./npm-packages-app.ts";

const WORD = "unbreakable".repeat(20);

const bare = exampleNpmPage({
  name: "tiny",
  description: "",
  keywords: [],
  tags: [],
  maintainers: [],
  deprecated: undefined,
  advisories: [],
  license: undefined,
  homepage: undefined,
  repository: undefined,
  bugs: undefined,
  engines: [],
  commands: [],
  installScripts: [],
  dependencies: [],
  dependents: { totalHits: 0, names: [] },
  signature: { status: "off" },
  provenance: [],
  readme: { status: "none" },
  history: exampleHistory(1),
});
const large = exampleNpmPage({
  name: `@${WORD}/${WORD}`.slice(0, 214),
  version: `1.0.0-${WORD}`,
  description: WORD,
  keywords: [WORD, "b"],
  tags: [{ tag: WORD, version: `1.0.0-${WORD}` }],
  maintainers: [WORD, "ada"],
  publishedBy: WORD,
  deprecated: WORD,
  license: { text: WORD },
  homepage: `https://a.example/${WORD}`,
  repository: { url: WORD, directory: WORD },
  commands: [WORD],
  engines: [{ name: WORD, range: WORD }],
  dependencies: [{ kind: "needed", entries: [{ name: WORD, range: WORD }] }],
  dependents: { totalHits: 1, names: [WORD] },
  signature: { status: "wrong" },
  provenance: [
    {
      predicateType: "https://slsa.dev/provenance/v1",
      verdict: { status: "refused", reason: WORD },
      source: WORD,
      builder: `https://a.example/${WORD}`,
      commit: WORD,
      workflow: WORD,
    },
  ],
  readme: { status: "text", text: `##### ${WORD}\n\n| a |\n|-|\n| \`${WORD}\` |` },
  history: exampleHistory(250, { number: 2 }),
});

const cases: PageCases<Partial<NpmPackagesPorts>> = {
  "search with hits": ["npm-packages?q=acme&skip=20&deprecated=false", {}],
  "search with long hits": [
    "npm-packages",
    {
      search: async () => ({
        status: "found",
        totalHits: 1,
        hits: [
          exampleNpmHit({ name: WORD, description: WORD, keywords: [WORD], maintainers: [WORD] }),
        ],
      }),
    },
  ],
  "search without hits": [
    "npm-packages?q=nothing",
    { search: async () => ({ status: "found", totalHits: 0, hits: [] }) },
  ],
  "a package with everything": ["npm-packages/@acme/app/v/2.0.1", {}],
  "a package with next to nothing": [
    "npm-packages/tiny",
    { page: async () => ({ status: "found", page: bare }) },
  ],
  "a package with long texts and a long history": [
    "npm-packages/x",
    { page: async () => ({ status: "found", page: large }) },
  ],
  "no such package": [
    `npm-packages/${WORD}`,
    { page: async () => ({ status: "absent", near: ["@acme/app", WORD] }) },
  ],
  "a token that opens other names": [
    "npm-packages/@acme/app",
    { page: async () => ({ status: "limited", retryAfterSeconds: 5 }) },
  ],
};

function answering(ports: Partial<NpmPackagesPorts>) {
  const app = createNpmPackagesApp(exampleNpmPackages(ports));
  return async (request: Request) => app.fetch(request);
}

describeInBrowser((open) => {
  testEveryPage(open, cases, answering);

  test("the keyboard reaches a package from the search and copies its lines", async () => {
    await using opened = await open({
      path: "npm-packages",
      permissions: ["clipboard-read", "clipboard-write"],
      answer: answering({}),
    });
    const { page, problems, requests } = opened;
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("acme app");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=acme/);
    expect(new URL(requests.at(-1) ?? "").searchParams.get("q")).toBe("acme app");
    await page.getByRole("link", { name: "@acme/app" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: /@acme\/app/ }).waitFor();
    expect(page.url()).toBe("http://localhost:8080/npm-packages/@acme/app");
    await page.getByRole("radio", { name: "pnpm" }).focus();
    await page.keyboard.press("Space");
    const copy = page.getByRole("button", { name: /In the project folder/ });
    await copy.press("Enter");
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("pnpm add @acme/app@2.0.1");
    expect(problems).toEqual([]);
  });

  testChoiceWithoutScript(open, {
    path: "npm-packages/@acme%2fapp",
    answer: answering({ site: () => exampleSite({ anonymousRead: false }) }),
    choice: "yarn",
    line: 'npmRegistryServer: "http://localhost:8080/npm/"',
  });
});
