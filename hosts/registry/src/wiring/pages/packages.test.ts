import { gunzipSync } from "node:zlib";
import { publish } from "@sealhouse/nuget-protocol/package";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import type { NupkgRecipe } from "@sealhouse/nuget-protocol/testing";
import { createSource } from "@sealhouse/upstream-sources";
import { expect, test } from "vitest";
import type { ConsolePagesOptions } from "./pages.test.support.ts";
import { caller, NOW, openConsolePages, wordsOf } from "./pages.test.support.ts";

/** The pages of a feed that packages can be pushed to. */
async function openPages(options: ConsolePagesOptions = {}) {
  const pages = await openConsolePages("nuget", options);
  const { database, files } = pages;
  return {
    ...pages,
    push: async (recipe: NupkgRecipe, seal?: "sealed") => {
      const bytes = buildNupkg(recipe);
      const ports = { files, lookup: database.nuget.lookup, recorder: database.nuget.recorder };
      const sealer = { seal: async () => (seal ? SEALED : ({ status: "unsealed" } as const)) };
      const body = (async function* () {
        yield bytes;
      })();
      const allow = async () => undefined;
      const outcome = await publish({ ...ports, sealer }, { body, caller, now: NOW, allow });
      expect(outcome).toMatchObject({ status: "published" });
    },
  };
}

const SEALED = {
  status: "sealed",
  seal: { plan: new Uint8Array([1]), fingerprint: "ab".repeat(32), size: 9_999, signedAt: NOW },
} as const;

const core: NupkgRecipe = {
  id: "Acme.Core",
  version: "1.2.0",
  metadata: `<title>The core</title><tags>acme blocks</tags>
    <readme>docs/README.md</readme><license type="file">LICENSE.txt</license>
    <projectUrl>https://acme.example/</projectUrl>
    <repository type="git" url="https://github.com/acme/core" branch="main" />
    <dependencies><group targetFramework="net8.0">
      <dependency id="Acme.Base" version="[1.0.0, 2.0.0)" /></group></dependencies>`,
  files: {
    "docs/README.md": "# Hello\n\n<script>alert(1)</script>\n\n**bold**",
    "LICENSE.txt": "Be <kind>.",
    "lib/net8.0/a.dll": "x",
  },
};

test("finds a package, and its page shows its facts", async () => {
  await using pages = await openPages();
  const { push, read, get } = pages;
  await push(core);
  await push({ id: "Acme.Base", version: "1.0.0" });
  const results = await read("/packages?q=tags:blocks&framework=net8.0");
  expect(results).toContain("1 package, showing 1 to 1");
  expect(results).toMatch(/Acme\.Core 1\.2\.0 The core .*published by token:release/);
  const html = await (await get("/packages/acme.core")).text();
  expect(html).not.toContain("/manage/nuget");
  const writer = await pages.authorizationOf(["read", "write"]);
  expect(await (await get("/packages/acme.core", writer)).text()).toContain(
    'href="/manage/nuget/Acme.Core"',
  );
  expect(html).toMatch(/<h3 id="readme-hello">Hello<\/h3>\s*<p><strong>bold<\/strong><\/p>/);
  const words = wordsOf(html);
  expect(words).toContain("Acme.Base ≥ 1.0.0 and < 2.0.0");
  expect(words).toContain("Target frameworks net8.0");
  expect(words).toContain("License in the package");
  expect(words).toContain("This registry has not signed this version.");
  expect(await read("/packages/Acme.Core/1.2/license")).toContain("Be <kind>.");
  expect(await read("/packages/Acme.Base")).toContain("1 package, by downloads. Acme.Core");
});

test("looks the token of a request up once, on each page", async () => {
  await using pages = await openPages();
  await pages.push(core);
  await pages.push({ id: "Acme.Base", version: "1.0.0" });
  const reader = await pages.authorizationOf(["read", "write"]);
  for (const path of ["/", "/packages", "/packages/acme.core", "/packages/Acme.Core/1.2/license"]) {
    expect([path, await pages.lookupsFor(path, reader)]).toEqual([path, 1]);
  }
});

test("links dependencies to pages here or at their source, not to unknown names", async () => {
  const nugetOrg = createSource({
    name: "nuget.org",
    protocol: "nuget",
    url: "https://api.nuget.org/v3/index.json",
    from: "configuration",
    settings: { deny: ["Acme.*"] },
  });
  for (const sources of [[], [nugetOrg]]) {
    await using pages = await openPages({ sources });
    const { database, push, get } = pages;
    const ids = ["Acme.Base", "Acme.Hidden", "Acme.Unknown", "Other.Hidden", "Newtonsoft.Json"];
    const dependencies = ids.map((id) => `<dependency id="${id}" version="1.0.0" />`);
    await push({
      id: "Acme.Core",
      version: "1.0.0",
      metadata: `<dependencies>${dependencies.join("")}</dependencies>`,
    });
    for (const id of ["Acme.Base", "Acme.Hidden", "Other.Hidden"]) {
      await push({ id, version: "1.0.0" });
    }
    for (const id of ["acme.hidden", "other.hidden"]) {
      const change = { visibility: "private", by: caller } as const;
      expect(await database.visibilities.set("nuget", id, change)).toBe("set");
    }
    const deprecation = {
      reasons: ["Legacy"],
      alternatePackage: { id: "Acme.Next", range: "*" },
    } as const;
    await database.nuget.lifecycle.deprecate("acme.core", "all", deprecation, caller);
    const html = await (await get("/packages/Acme.Core")).text();
    expect(html).toContain('href="/packages/Acme.Base"');
    for (const id of ["Acme.Hidden", "Acme.Unknown", "Acme.Next"]) {
      expect(html).not.toContain(`/packages/${id}"`);
    }
    // A hidden name has the link of an unknown one.
    for (const id of ["Other.Hidden", "Newtonsoft.Json"]) {
      expect(html.includes(`href="/packages/${id}"`)).toBe(false);
      const there = `href="https://www.nuget.org/packages/${id.toLowerCase()}"`;
      expect(html.includes(there)).toBe(sources.length > 0);
    }
  }
});

test("shows the newest listed stable version, or another one by its name", async () => {
  await using pages = await openPages();
  const { database, push, read, get } = pages;
  for (const version of ["1.0.0", "1.1.0", "2.0.0-rc.1"]) await push({ id: "Acme", version });
  expect(await read("/packages/Acme")).toContain("Acme 1.1.0");
  expect(await read("/packages/ACME/2.0-RC.1")).toContain("Acme 2.0.0-rc.1 Prerelease");
  await database.nuget.recorder.setListed("acme", "1.1.0", false, caller);
  expect(await read("/packages/Acme")).toContain("Acme 1.0.0");
  expect(await read("/packages/Acme/1.1.0")).toContain("This version is unlisted");
  expect((await get("/packages/Acme/3.0.0")).status).toBe(404);
  expect(await read("/packages?q=acme&prerelease=false")).not.toContain("rc.1");
});

test("answers missing names with similar ones", async () => {
  await using pages = await openPages();
  await pages.push({ id: "Acme.Core", version: "1.0.0" });
  for (const path of [
    "/packages/Acme.Kore",
    "/packages/Acme.Core/x",
    "/packages/Acme.X/1.0/license",
  ]) {
    const response = await pages.get(path);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('href="/packages/Acme.Core"');
  }
  for (const path of [
    "/packages/..%2f..",
    "/packages/%00",
    "/packages/a%20b/1.0.0",
    "/packages/-",
  ]) {
    expect((await pages.get(path)).status).toBe(404);
  }
});

test("shows deprecation and vulnerabilities in the search and on the page", async () => {
  await using pages = await openPages();
  const { database, push, read } = pages;
  await push({ id: "Acme.Old", version: "1.0.0" });
  await push({ id: "Acme.Old", version: "2.0.0" });
  const url = "https://github.com/advisories/GHSA-aaaa";
  await database.nuget.advisories.replace("test", [
    { id: "acme.old", severity: 3, url, versions: "[2.0.0, 3.0.0)", advisoryId: "GHSA-aaaa" },
  ]);
  const deprecation = { reasons: ["Legacy"], message: "Gone." } as const;
  await database.nuget.lifecycle.deprecate("acme.old", ["2.0.0"], deprecation, caller);
  expect(await read("/packages?q=acme.old")).toMatch(/Deprecated Vulnerable: critical/);
  const page = await read("/packages/Acme.Old");
  expect(page).toContain("Critical severity: GHSA-aaaa , versions ≥ 2.0.0 and < 3.0.0");
  expect(page).toContain("deprecated because it is legacy and no longer maintained Gone.");
  expect(await read("/packages/Acme.Old/1.0.0")).not.toContain("severity");
});

test("shows a signature while signing is on", async () => {
  await using pages = await openPages();
  await pages.push(core, "sealed");
  expect(await pages.read("/packages/Acme.Core")).toContain("Signed by this registry.");
  await using unsigned = await openPages({ env: { Signing__Mode: "" } });
  await unsigned.push(core, "sealed");
  expect(await unsigned.read("/packages/Acme.Core")).toContain(
    "This registry has not signed this version.",
  );
});

test("pages are compressed, unless a request with credentials gives them a text", async () => {
  await using pages = await openPages();
  await pages.push(core);
  const authorization = await pages.authorizationOf(["read"]);
  const cookie = "a=b";
  const cases: readonly [string, Record<string, string>, string | undefined, string?][] = [
    ["/", {}, "gzip"],
    ["/packages?q=core", {}, "gzip"],
    ["/packages/Acme.None", {}, "gzip"],
    ["/packages/Acme.Core", { cookie }, "gzip"],
    ["/packages/Acme.Core", { authorization }, "gzip"],
    ["/packages?q=core", { cookie }, undefined],
    ["/packages?q=core", { authorization }, undefined],
    ["/packages/Acme.None", { cookie }, undefined],
    ["/packages/Acme.None", { authorization }, undefined],
    ["/sign-in/token", {}, undefined, "POST"],
  ];
  for (const [path, headers, encoding, method] of cases) {
    const where = `${method ?? "GET"} ${path} ${Object.keys(headers).join()}`;
    const accepted = { ...headers, "accept-encoding": "gzip, br" };
    const response = await pages.request(path, accepted, method);
    expect(response.headers.get("content-encoding") ?? undefined, where).toBe(encoding);
    if (encoding === undefined) continue;
    expect(response.headers.get("vary"), where).toMatch(/\bAccept-Encoding\b/);
    const bytes = Buffer.from(await response.arrayBuffer());
    const plain = await pages.request(path, headers);
    expect(plain.headers.has("content-encoding"), where).toBe(false);
    expect(plain.headers.get("vary"), where).toMatch(/\bAccept-Encoding\b/);
    expect(gunzipSync(bytes).toString(), where).toBe(await plain.text());
    expect(bytes.length, where).toBeLessThan(gunzipSync(bytes).length / 2);
  }
});

test("a closed feed shows no contents to anonymous callers", async () => {
  await using pages = await openPages({
    env: { Feed__Authentication__AllowAnonymousPull: "false" },
  });
  const { push, get, authorizationOf } = pages;
  await push(core);
  const authorization = await authorizationOf(["read"]);
  const paths = ["", "/acme.core", "/acme.cor", "/acme.core/1.2.0", "/acme.core/1.2.0/license"];
  for (const path of paths.map((part) => `/packages${part}`)) {
    const refused = await get(path);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer realm="Sealhouse"/);
    expect(await refused.text()).not.toContain("Acme");
    const wrong = await get(path, "Basic bWU6bm90aGluZw==");
    expect(wrong.status).toBe(401);
    const answer = await get(path, authorization);
    expect([200, 404]).toContain(answer.status);
    expect(await answer.text()).toContain("Acme.Core");
  }
});

test("marks an unknown framework as unknown", async () => {
  await using pages = await openPages();
  const response = await pages.get("/packages?framework=quux8");
  expect(response.status).toBe(400);
  expect(wordsOf(await response.text())).toContain('Unknown framework "quux8".');
});

test("shows held and denied versions with their reasons", async () => {
  const until = new Date("2026-03-08T00:00:00Z");
  const withheld = new Map([
    ["1.2.0", { status: "denied", rule: "r1", text: "Acme.Core 1.2.0 is denied: <b>." }],
    ["2.0.0", { status: "held", rule: "MinimumReleaseAge", text: "2.0.0 is held back.", until }],
  ] as const);
  await using pages = await openPages({ withheld });
  await pages.push(core);
  const words = await pages.read("/packages/Acme.Core/1.2.0");
  expect(words).toContain("This version is denied Acme.Core 1.2.0 is denied: <b>.");
  expect(words).toContain("1 version held back or denied 2.0.0 Held back 2.0.0 is held back.");
  expect(words).toContain("Until 2026-03-08 00:00 UTC");
  const missing = await pages.read("/packages/Acme.Core/2.0");
  expect(missing).toMatch(/Package not available .* 2\.0\.0 is held back\./);
  expect(missing).not.toContain("1.2.0 is denied");
});
