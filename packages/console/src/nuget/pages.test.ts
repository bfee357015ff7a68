import { assert, asyncProperty, constantFrom, infiniteStream } from "fast-check";
import { expect, test } from "vitest";
import {
  exampleHistory,
  exampleHit,
  examplePackages,
  examplePage,
  exampleSite,
} from "../testing/example-packages.ts";
import { lowerId } from "@sealhouse/nuget-protocol";
import { expectLinksBelow, tagsOf, wordsOf } from "../testing/page-text.ts";
import type { PackageHit, PackagePage } from "./model.ts";
import type { Refusal } from "../kit/page/model.ts";
import type { PackagesPorts } from "./packages-app.ts";
import { createPackagesApp } from "./packages-app.ts";

const respond = (path: string, ports: Partial<PackagesPorts> = {}) =>
  createPackagesApp(examplePackages(ports), {
    renderReadme: async (text) => ({ status: "html", html: `<p>[${text.length}]</p>` }),
  }).request(path);
const render = async (path: string, ports?: Partial<PackagesPorts>) =>
  (await respond(path, ports)).text();
const pageWith = (fields: Partial<PackagePage>, path = "/packages/Acme.Core") =>
  render(path, { page: async () => ({ status: "found", page: examplePage(fields) }) });

test("the search page shows the query and its results", async () => {
  const html = await render("/packages?q=%22acme%22&prerelease=false&framework=net8.0&skip=20");
  expect(html).toContain('value="&quot;acme&quot;"');
  expect(html).toContain('value="net8.0"');
  expect(html).toMatch(/<option value="false" selected>\s*Excluded/);
  expect(html).toContain("<title>&quot;acme&quot; - Packages - Sealhouse</title>");
  const words = wordsOf(html);
  expect(words).toContain("345 packages, showing 21 to 23");
  expect(words).toContain("Acme.Core 2.1.0");
  expect(words).toMatch(/123\.5K downloads updated 3 days ago by Acme Ltd, Ada/);
  expect(words).toContain("Vulnerable: critical");
  expect(html).toContain('href="/packages/Acme.Core"');
  expect(html).toContain(`href="/packages?q=${encodeURIComponent('tags:"acme"')}"`);
  expect(html).toContain(`href="/packages?q=${encodeURIComponent('owner:"ada"')}"`);
});

test("links between result pages keep the query", async () => {
  const html = await render("/packages?q=a&packageType=Template&skip=40");
  expect(html).toContain('rel="prev" href="/packages?q=a&amp;packageType=Template&amp;skip=20"');
  expect(html).toContain('rel="next" href="/packages?q=a&amp;packageType=Template&amp;skip=60"');
  const first = await render("/packages?q=a&skip=10");
  expect(first).toContain('rel="prev" href="/packages?q=a"');
});

test("the last page that the feed allows has no next link", async () => {
  const search: PackagesPorts["search"] = async () => ({
    status: "found",
    totalHits: 9_000,
    hits: [exampleHit()],
  });
  expect(await render("/packages?skip=2980", { search })).toContain('rel="next" href');
  expect(await render("/packages?skip=3000", { search })).not.toContain('rel="next" href');
});

test.each([
  ["/packages?q=x", 0, "No matching package."],
  ["/packages", 0, "No packages yet."],
  ["/packages?skip=500", 300, "There are 300 packages, and this page is after the last one."],
])("%s without hits of %i says %j", async (path, totalHits, text) => {
  const search: PackagesPorts["search"] = async () => ({ status: "found", totalHits, hits: [] });
  expect(wordsOf(await render(path, { search }))).toContain(text);
});

test("an invalid search returns 400 with the reason", async () => {
  const search: PackagesPorts["search"] = async () => ({
    status: "invalid",
    problem: "No <such>.",
  });
  const response = await respond("/packages?q=x", { search });
  expect(response.status).toBe(400);
  expect(wordsOf(await response.text())).toContain("No <such>");
});

test("the page of a package contains all its data", async () => {
  const html = await render("/packages/acme.core/2.11.0");
  const words = wordsOf(html);
  for (const text of [
    "This version has known vulnerabilities",
    "High severity: GHSA-aaaa-bbbb-cccc , versions ≥ 1.0.0 and < 2.12.0",
    "deprecated because it is legacy and no longer maintained and it has critical bugs",
    "Version 3 replaces it.",
    "Use Acme.Next (≥ 3.0.0) instead.",
    "dotnet add package Acme.Core --version 2.11.0",
    "dotnet nuget add source http://localhost:8080/v3/index.json",
    "Downloads of all versions 81,444",
    "Size 50.0 KB",
    "CN=Sealhouse Repository Signing",
    "2026-02-26 12:00 UTC",
    "System.Text.Json ≥ 8.0.0 and < 9.0.0",
    "12 packages, by downloads.",
    "Acme.Web 9.9K downloads",
    "And 11 others.",
    "Full version 2.11.0+5fc1c5e",
    "2.9.0 Unlisted",
  ]) {
    expect(words).toContain(text);
  }
  for (const address of [
    "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
    "https://licenses.nuget.org/MIT%20OR%20Apache-2.0",
    "https://acme.example/core",
    "https://github.com/acme/core",
    "https://www.nuget.org/packages/System.Text.Json",
  ]) {
    expect(html).toContain(`<a href="${address}" rel="nofollow noopener noreferrer">`);
  }
  expect(html).toContain('href="/v3/package/acme.core/2.11.0/acme.core.2.11.0.nupkg"');
  expect(html).toContain('href="/v3/package/acme.core/2.11.0/acme.core.nuspec"');
  expect(html).toContain('href="/v3/package/acme.core/2.11.0/provenance.json"');
  expect(html).toContain(`href="/v3/certificates/${"ab12".repeat(16)}.crt"`);
  expect(html).toContain('href="/packages/Acme.Abstractions"');
  expect(html).toContain("<title>Acme.Core 2.11.0 - Sealhouse</title>");
});

test.each([
  ["/packages/acme.core", "http://localhost:8080/packages/Acme.Core"],
  ["/packages/ACME.core/2.11", "http://localhost:8080/packages/Acme.Core/2.11.0"],
])("%s has the canonical address %s", async (path, canonical) => {
  expect(await render(path)).toContain(`<link rel="canonical" href="${canonical}" />`);
});

test("links keep the base path of the registry", async () => {
  const site = () => exampleSite({ address: "https://a.example/registry" });
  for (const path of ["/packages", "/packages/Acme.Core", "/packages/Acme.Core/1.0.0/license"]) {
    const html = await render(path, { site });
    expectLinksBelow("/registry", html);
  }
});

test("an old version links to the newer stable or prerelease version", async () => {
  const old = await pageWith({ newer: { version: "2.11.0", isPrerelease: false } });
  expect(wordsOf(old)).toContain("There is a newer version: 2.11.0 .");
  expect(await pageWith({})).not.toContain("There is a newer version");
  const prerelease = await pageWith({ newer: { version: "3.0.0-rc.1", isPrerelease: true } });
  expect(wordsOf(prerelease)).toContain("There is a newer version: 3.0.0-rc.1 , a prerelease.");
});

test("the first framework groups with dependencies are open", async () => {
  const dependencies = [{ id: "A", range: "1.0.0" }];
  const group = (targetFramework: string, isFilled: boolean) => ({
    targetFramework,
    dependencies: isFilled ? dependencies : [],
  });
  const dependencyGroups = [
    ...["net1", "net2", "net3"].map((name) => group(name, false)),
    ...["net4", "net5", "net6", "net7"].map((name) => group(name, true)),
  ];
  const html = await pageWith({ dependencyGroups });
  const groups = html.matchAll(/<details class="group" (open)?>\s*<summary>(\w+)/g);
  expect([...groups].map(([, open, name]) => `${name} ${open ?? "closed"}`)).toEqual(
    ["1 closed", "2 closed", "3 closed", "4 open", "5 open", "6 open", "7 closed"].map(
      (state) => `net${state}`,
    ),
  );
});

test("an unsigned and unlisted version shows both states", async () => {
  const words = wordsOf(
    await pageWith({
      signature: undefined,
      listed: false,
      readme: { status: "none" },
      dependencyGroups: [],
      dependents: { totalHits: 0, packages: [] },
    }),
  );
  expect(words).toContain("This registry has not signed this version.");
  expect(words).toContain("This version is unlisted");
  expect(words).toContain("Description Small building blocks");
  expect(words).toContain("This version has no dependencies.");
  expect(words).toContain("No other package in this registry depends on it.");
});

test("an unreadable readme shows the reason", async () => {
  const reason = "It is larger than 1048576 bytes.";
  const html = await pageWith({ readme: { status: "unreadable", reason } });
  expect(wordsOf(html)).toContain(`The package has a readme. ${reason}`);
});

test("a readme that exceeds the limits shows its source text", async () => {
  const page = examplePage({ readme: { status: "text", text: "# <b>a</b>" } });
  const ports = examplePackages({ page: async () => ({ status: "found", page }) });
  const renderReadme = async () => ({ status: "plain", reason: "too-complex" }) as const;
  const response = await createPackagesApp(ports, { renderReadme }).request("/packages/a");
  expect(await response.text()).toContain("<code># &lt;b&gt;a&lt;/b&gt;</code>");
});

test("a long history has several pages", async () => {
  const version = "2.250.0-rc.1";
  const rows = (html: string) => [...html.matchAll(/<th scope="row">/g)].length;
  const first = await pageWith({ history: exampleHistory(250), version });
  expect(rows(first)).toBe(100);
  expect(wordsOf(first)).toContain("Show 90 older");
  const last = await pageWith({ history: exampleHistory(250, { number: 3 }), version });
  expect(rows(last)).toBe(50);
  expect(wordsOf(last)).toContain("Page 3 of 3");
  expect(last).not.toContain('rel="next" href');
});

test.each([
  ["?versions=3", 3],
  ["?versions=0", 1],
  ["?versions=x", 1],
  ["?versions=-1", 1],
  ["", 1],
])("with %j page %i of the history is asked for", async (search, page) => {
  const calls: unknown[] = [];
  await respond(`/packages/acme${search}`, {
    page: async (_, { versions }) => {
      calls.push(versions);
      return { status: "absent", near: [] };
    },
  });
  expect(calls).toEqual([{ page, size: 100 }]);
});

test("an unknown package returns 404 with similar names", async () => {
  const page: PackagesPorts["page"] = async () => ({ status: "absent", near: ["Acme.Core"] });
  const response = await respond("/packages/Acme.Cor/1.0.0", { page });
  expect(response.status).toBe(404);
  const html = await response.text();
  expect(wordsOf(html)).toContain("has no package Acme.Cor 1.0.0");
  expect(html).toContain('href="/packages/Acme.Core"');
});

test("a license file appears as plain text", async () => {
  const license = { status: "text", text: "<script>alert(1)</script>" } as const;
  const html = await render("/packages/a/1.0.0/license", {
    license: async () => ({ status: "found", id: "A", version: "1.0.0", license }),
  });
  expect(html).toContain("&lt;script&gt;alert(1)");
  const none = await respond("/packages/a/1.0.0/license", {
    license: async () => ({ status: "found", id: "A", version: "1", license: { status: "none" } }),
  });
  expect(none.status).toBe(404);
});

const refusals: readonly (readonly [Refusal, number, string])[] = [
  [{ status: "anonymous" }, 401, "This registry requires a sign-in to read."],
  [{ status: "denied", reason: "This token has expired." }, 401, "This token has expired."],
  [{ status: "limited", retryAfterSeconds: 29.5 }, 429, "Try again in 30 seconds."],
];

test.each(refusals)("%j returns %i on every page", async (refusal, status, text) => {
  const refuse = async () => refusal;
  const ports = { search: refuse, page: refuse, license: refuse };
  for (const path of ["/packages?q=x", "/packages/a", "/packages/a/1", "/packages/a/1/license"]) {
    const response = await respond(path, ports);
    expect(response.status).toBe(status);
    const challenge = response.headers.get("www-authenticate");
    expect(challenge === 'Bearer realm="Sealhouse"').toBe(status === 401);
    expect(response.headers.get("retry-after")).toBe(status === 429 ? "30" : null);
    expect(wordsOf(await response.text())).toContain(text);
  }
});

test("shell lines omit a public address that is unsafe in a shell", async () => {
  const site = () => exampleSite({ address: "http://a;reboot" });
  const response = await respond("/packages/a", { site });
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain("reboot");
});

const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</style></title><svg onload=alert(1)>",
  "javascript:alert(1)",
  "data:text/html,<script>",
  'https://a.example/"><script>',
  "&lt;b&gt;",
  "${7*7}",
  "\u0000\ud800<",
  "..%2f../<a href=x>",
];

/** Every text of the value becomes hostile. */
function poisoned<T>(value: T, next: () => string): T {
  if (typeof value === "string") return next() as T;
  if (Array.isArray(value)) return value.map((element: unknown) => poisoned(element, next)) as T;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (value instanceof Map) {
    const members = [...value].map(([key, member]) => [key, poisoned(member, next)] as const);
    return new Map(members) as T;
  }
  // Discriminators of unions are not package data.
  const entries = Object.entries(value).map(([name, member]) =>
    name === "status" || name === "type" ? [name, member] : [name, poisoned(member, next)],
  );
  return Object.fromEntries(entries) as T;
}

const elementsOf = (html: string) => tagsOf(html).map((tag) => /^<[a-z\d]+/.exec(tag)?.[0]);

test("package data appears as text, never as HTML", async () => {
  const calm = new Set([...tagsOf(await render("/packages")), ...tagsOf(await pageWith({}))]);
  const knownElements = new Set([...calm].map((tag) => /^<[a-z\d]+/.exec(tag)?.[0]));
  const texts = infiniteStream(constantFrom(...HOSTILE));
  await assert(
    asyncProperty(texts, async (stream) => {
      const next = () => String(stream.next().value);
      const hits: PackageHit[] = [poisoned(exampleHit(), next)];
      const poisonedPage = poisoned(examplePage(), next);
      const ids = poisonedPage.dependencyGroups.flatMap(({ dependencies }) =>
        dependencies.map(({ id }) => lowerId(id)),
      );
      const here = { type: "here" } as const;
      const page = { ...poisonedPage, links: new Map(ids.map((id) => [id, here] as const)) };
      const search = await render(`/packages?q=${encodeURIComponent(next().toWellFormed())}`, {
        search: async () => ({ status: "found", totalHits: 1, hits }),
      });
      const answer = await respond(`/packages/${encodeURIComponent(next().toWellFormed())}`, {
        page: async () => ({ status: "found", page }),
      });
      expect(answer.status).toBe(200);
      const shown = await answer.text();
      for (const html of [search, shown]) {
        const strange = elementsOf(html).filter((element) => !knownElements.has(element));
        expect(strange).toEqual([]);
        expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[a-z][^>]*\s(?:on\w+|style)=/i);
        expect(html).not.toMatch(/(?:href|src|action)="\s*(?!https?:|\/|#|data:image\/svg)/);
      }
    }),
    { numRuns: 60 },
  );
});
