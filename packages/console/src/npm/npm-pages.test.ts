import { expect, test } from "vitest";
import { exampleNpmHit, exampleNpmPackages, exampleNpmPage } from "../testing/example-npm.ts";
import { exampleHistory, exampleSite } from "../testing/example-packages.ts";
import {
  REFUSALS,
  WRITTEN_ADDRESSES,
  expectLinksBelow,
  expectTextStaysText,
  wordsOf,
} from "../testing/page-text.ts";
import type { NpmPage } from "./model.ts";
import type { NpmPackagesPorts } from "./npm-packages-app.ts";
import { createNpmPackagesApp } from "./npm-packages-app.ts";

const respond = (path: string, ports: Partial<NpmPackagesPorts> = {}) =>
  createNpmPackagesApp(exampleNpmPackages(ports), {
    renderReadme: async (text) => ({ status: "html", html: `<p>[${text.length}]</p>` }),
  }).request(path);
const render = async (path: string, ports?: Partial<NpmPackagesPorts>) =>
  (await respond(path, ports)).text();
const pageWith = (fields: Partial<NpmPage>) =>
  render("/npm-packages/x", {
    page: async () => ({ status: "found", page: exampleNpmPage(fields) }),
  });

test("the search shows the query, and its page links keep it", async () => {
  const html = await render("/npm-packages?q=%22acme%22&deprecated=false&skip=20");
  expect(html).toContain('value="&quot;acme&quot;"');
  const words = wordsOf(html);
  expect(words).toContain("345 packages, showing 21 to 23");
  expect(words).toMatch(/@acme\/app 2\.0\.1 .*published 3 days ago maintained by alice/);
  expect(html).toContain('href="/npm-packages/@acme/app"');
  expect(html).toContain('href="/npm-packages/@acme/app/v/2.0.1"');
  expect(html).toContain('href="/npm-packages?q=keywords%3Aacme"');
  expect(html).toContain('href="/npm-packages?q=maintainer%3Aalice"');
  const query = "q=%22acme%22&amp;deprecated=false";
  expect(html).toContain(`rel="prev" href="/npm-packages?${query}"`);
  expect(html).toContain(`rel="next" href="/npm-packages?${query}&amp;skip=40"`);
});

test("the page of a package contains all its data", async () => {
  const html = await render("/npm-packages/@acme/app/v/2.0.1");
  const words = wordsOf(html);
  for (const text of [
    "This version has known vulnerabilities",
    "High severity: Reads any file , versions >=1.0.0 <2.1.0",
    "Version 2.1 replaces it.",
    "Runs a script during installation if the client allows it: postinstall",
    "latest points to another version: 2.1.0",
    "npm install @acme/app@2.0.1",
    "@acme:registry=http://localhost:8080/npm/",
    "Publisher token:release-bot",
    "License MIT OR Apache-2.0",
    "Size 50.0 KB packed",
    "Unpacked 200 KB, 42 files",
    "Downloads of this version 1,234",
    "Source github.com/acme/app in packages/app",
    "Signed by this registry",
    "The attestation's signature, certificate and log entry are valid.",
    "Commit 5fc1c5e0a7d94c3f8b215fc1c5e0a7d94c3f8b21",
    "@acme/parser as parser 1.x",
    "typescript any version",
    "12 packages in this registry whose latest depends on it.",
    "And 10 others.",
    "Engines node >=24",
    "Commands acme-app",
  ]) {
    expect(words).toContain(text);
  }
  for (const address of [
    "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
    "https://acme.example/app#readme",
    "https://github.com/acme/app",
    "https://www.npmjs.com/package/react",
  ]) {
    expect(html).toContain(`<a href="${address}" rel="nofollow noopener noreferrer">`);
  }
  expect(html).toContain('href="/npm/@acme/app/-/app-2.0.1.tgz"');
  expect(html).toContain('href="/npm/-/npm/v1/attestations/%40acme%2Fapp@2.0.1"');
  expect(html).toContain("<title>@acme/app 2.0.1 - npm - Sealhouse</title>");
});

test.each([
  ["/npm-packages/@acme/app", "@acme/app", undefined],
  ["/npm-packages/@acme%2fapp", "@acme/app", undefined],
  ["/npm-packages/@acme%2Fapp/", "@acme/app", undefined],
  ["/npm-packages/%40acme%2fapp/v/2.0.1", "@acme/app", "2.0.1"],
  ["/npm-packages/%40acme/app/v/next", "@acme/app", "next"],
  ["/npm-packages/@acme%252fapp/v/1.0.0%2Bb", "@acme/app", "1.0.0+b"],
  ["/npm-packages/v/v/1.0.0", "v", "1.0.0"],
  ["/npm-packages/@acme/v", "@acme/v", undefined],
])("%s is about %s, version %s", async (path, name, version) => {
  const calls: unknown[] = [];
  const html = await render(path, {
    page: async (_, { versions: __, ...target }) => {
      calls.push(target);
      return { status: "found", page: exampleNpmPage() };
    },
  });
  expect(calls).toEqual([version === undefined ? { name } : { name, version }]);
  const canonical = `http://localhost:8080/npm-packages/@acme/app${version ? "/v/2.0.1" : ""}`;
  expect(html).toContain(`<link rel="canonical" href="${canonical}" />`);
});

test.each([
  "/npm-packages/",
  "/npm-packages/a/b",
  "/npm-packages/a/v/",
  "/npm-packages/a/v/1/2",
  "/npm-packages/%ff",
  "/npm-packages/@a%25%32%66%ff",
  `/npm-packages/${"a".repeat(2_000)}`,
])("%s is not the address of a page", async (path) => {
  const page: NpmPackagesPorts["page"] = async () => {
    throw new Error("must not be asked for");
  };
  expect((await respond(path, { page })).status).toBe(404);
});

test("links keep the base path of the registry", async () => {
  const site = () => exampleSite({ address: "https://a.example/registry" });
  for (const path of ["/npm-packages", "/npm-packages/@acme/app"]) {
    const html = await render(path, { site });
    expectLinksBelow("/registry", html);
    if (path !== "/npm-packages") expect(html).toContain("https://a.example/registry/npm/");
  }
});

test.each([
  [{ status: "off" }, "has no npm signing key"],
  [{ status: "unsigned" }, "This registry has not signed this version."],
  [{ status: "wrong" }, "The signature of this version is invalid"],
] as const)("the page shows the signature state %j", async (signature, text) => {
  const words = wordsOf(await pageWith({ signature }));
  expect(words).toContain(text);
  expect(words).not.toContain("Signed by this registry");
});

test.each([
  [[], "The publisher provided no provenance", false],
  [[{ status: "unchecked" }], "no trusted root is configured", false],
  [[{ status: "refused", reason: "log entry <x>" }], "Verification failed: log entry <x>", false],
  [[{ status: "verified" }], "signature, certificate and log entry are valid", true],
] as const)("the page shows the provenance state %j", async (verdicts, text, isProven) => {
  const predicateType = "https://slsa.dev/provenance/v1";
  const html = await pageWith({
    provenance: verdicts.map((verdict) => ({ predicateType, verdict })),
  });
  expect(wordsOf(html)).toContain(text);
  expect(html.includes('<span class="badge kind">Provenance</span>')).toBe(isProven);
});

test("history pages link to each other and show dist-tags", async () => {
  const history = exampleHistory(250, { number: 2 });
  const [first, ...rest] = history.lines;
  if (!first) throw new Error("no lines");
  const lines = [{ ...first, tags: ["next", "a", "b", "c", "d", "e"] }, ...rest];
  const html = await pageWith({ history: { ...history, lines } });
  expect(html).toContain('rel="next" href="/npm-packages/@acme/app/v/2.0.1?versions=3#versions"');
  expect([...html.matchAll(/<th scope="row">/g)].length).toBe(100);
  expect(wordsOf(html)).toContain(`${first.version} next a b c d and 1 more`);
});

test.each(WRITTEN_ADDRESSES)("a home page %j links to %s", async (homepage, href) => {
  const html = await pageWith({ homepage, bugs: homepage, repository: undefined });
  const item = /<li>(?:(?!<\/li>).)*Home page.*?<\/li>/s.exec(html)?.[0] ?? "";
  expect(item).not.toBe("");
  if (href === undefined) expect(item).not.toContain("<a ");
  else expect(item).toContain(`<a href="${href}" rel="nofollow noopener noreferrer">`);
});

test("names that are unsafe in a shell get no install lines", async () => {
  const html = await pageWith({ name: "a!$(reboot)" });
  expect(html).not.toContain("npm install");
});

test("shortens huge texts and long lists", async () => {
  const huge = "é<b>".repeat(300_000);
  const many = Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, range: huge }));
  const html = await pageWith({
    description: huge,
    deprecated: huge,
    keywords: [huge, ...Array.from({ length: 10_000 }, (_, index) => `k${index}`)],
    license: { text: huge, url: huge },
    homepage: huge,
    repository: { url: huge, directory: huge },
    engines: many,
    commands: many.map(({ name }) => name + huge.slice(0, 1_000)),
    dependencies: [{ kind: "needed", entries: many }],
    maintainers: many.map(({ name }) => name),
    tags: many.map(({ name }) => ({ tag: name, version: "1.0.0" })),
    provenance: [
      { predicateType: "p", verdict: { status: "refused", reason: huge }, source: huge },
    ],
    readme: { status: "none" },
  });
  expect(html.length).toBeLessThan(250_000);
  expect(wordsOf(html)).toContain("and 19,800 more");
});

test("package data never becomes an HTML tag or attribute", async () => {
  await expectTextStaysText((text) => pageWith(authored(text)));
});

function authored(text: () => string): Partial<NpmPage> {
  return {
    description: text(),
    keywords: [`k${text()}`],
    deprecated: text(),
    license: { text: text() },
    homepage: `x:${text()}`,
    repository: { url: `x:${text()}`, directory: text() },
    bugs: undefined,
    engines: [{ name: text(), range: text() }],
    commands: [text()],
    maintainers: [text()],
    publishedBy: text(),
    dependencies: [{ kind: "needed", entries: [{ name: `/${text()}`, range: text() }] }],
    tags: [{ tag: text(), version: "2.0.1" }],
    provenance: [
      {
        predicateType: text(),
        verdict: { status: "refused", reason: text() },
        commit: text(),
        workflow: text(),
      },
    ],
  };
}

test.each(REFUSALS)("a refused caller (%j) sees no package data", async (refusal, status) => {
  for (const path of ["/npm-packages", "/npm-packages/@acme/app", "/npm-packages/none/v/1"]) {
    const ports = { search: async () => refusal, page: async () => refusal };
    const response = await respond(path, ports);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("acme/app");
  }
});

test("an unknown package returns 404 with similar names", async () => {
  const page: NpmPackagesPorts["page"] = async () => ({ status: "absent", near: ["@acme/app"] });
  const response = await respond("/npm-packages/@acme/ap/v/1.0.0", { page });
  expect(response.status).toBe(404);
  const html = await response.text();
  expect(wordsOf(html)).toContain("has no package @acme/ap 1.0.0");
  expect(html).toContain('href="/npm-packages/@acme/app"');
  expect(html).toContain('action="/npm-packages"');
});

test.each([
  [0, "/npm-packages?q=x", "No matching package."],
  [0, "/npm-packages", "No packages yet."],
  [5, "/npm-packages?skip=500", "There are 5 packages, and this page is after the last one."],
])("a search with %i hits at %s shows %j", async (totalHits, path, text) => {
  const search: NpmPackagesPorts["search"] = async () => ({ status: "found", totalHits, hits: [] });
  expect(wordsOf(await render(path, { search }))).toContain(text);
});

test("a total at the limit of counting is a lower bound", async () => {
  const search: NpmPackagesPorts["search"] = async () => ({
    status: "found",
    totalHits: 1_000,
    hits: [exampleNpmHit({ name: "a" })],
  });
  const text = wordsOf(await render("/npm-packages", { search }));
  expect(text).toContain("At least 1,000 packages, showing 1 to 1");
});

test("a hit with a hostile name and text appears as text", async () => {
  const hit = exampleNpmHit({ name: "<b>", description: "<script>alert(1)</script>" });
  const search: NpmPackagesPorts["search"] = async () => ({
    status: "found",
    totalHits: 1,
    hits: [hit],
  });
  const html = await render("/npm-packages", { search });
  expect(html).not.toContain("<script>alert");
  expect(html).toContain('href="/npm-packages/%3Cb%3E"');
});
