import { importAdvisories } from "@sealhouse/advisories/import";
import { openAdvisoryServer, osvDocument } from "@sealhouse/advisories/testing";
import type { AdvisoryServer } from "@sealhouse/advisories/testing";
import { loadAdvisoryReaders } from "@sealhouse/feed";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { createMemoryNpmPorts } from "@sealhouse/npm-protocol/testing";
import { createMemoryCatalog } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const cleanUp = new AsyncDisposableStack();
const readers = await loadAdvisoryReaders();
let server: AdvisoryServer;
let recorders = createRecorders();

beforeAll(async () => {
  server = cleanUp.use(await openAdvisoryServer());
});
afterAll(() => cleanUp.disposeAsync());
beforeEach(() => {
  recorders = createRecorders();
  server.pages.clear();
  server.requests.length = 0;
});

function createRecorders() {
  return { nuget: createMemoryCatalog().advisories, npm: createMemoryNpmPorts().advisories };
}

function from(path: string) {
  const fetch = createOutgoingFetch({ allowPrivate: true });
  const { signal } = new AbortController();
  const source = { name: "one", location: `${server.url}${path}` };
  return importAdvisories(source, { readers, recorders, fetch, signal });
}

function serveIndex(updated: string, pages: Readonly<Record<string, unknown>>): void {
  const index = Object.keys(pages).map((name) => ({
    "@name": name,
    "@id": `${server.url}/v/${name}.json`,
    "@updated": updated,
  }));
  server.pages.set("/v/index.json", { body: JSON.stringify(index) });
  for (const [name, page] of Object.entries(pages)) {
    server.pages.set(`/v/${name}.json`, { body: JSON.stringify(page) });
  }
  const resources = [{ "@id": `${server.url}/v/index.json`, "@type": "VulnerabilityInfo/6.7.0" }];
  server.pages.set("/v3/index.json", {
    body: JSON.stringify({ version: "3.0.0", resources }),
  });
}

const ADVISORIES = [
  { severity: 3, url: "https://github.com/advisories/GHSA-1", versions: "(, 2.0.0)" },
];

test.each(["/v/index.json", "/v3/index.json"])(
  "imports the vulnerabilities of %s",
  async (path) => {
    serveIndex("2026-01-01", { base: { "acme.json": ADVISORIES }, update: {} });
    expect(await from(path)).toMatchObject({ added: 1, total: 1 });
    server.requests.length = 0;
    expect(await from(path)).toEqual({ status: "unchanged", source: "one" });
    expect(server.requests.join()).not.toContain("base");
    serveIndex("2026-01-02", {
      base: { "acme.json": ADVISORIES },
      update: { "acme.xml": ADVISORIES },
    });
    expect(await from(path)).toMatchObject({ added: 1, total: 2 });
  },
);

test("refuses a feed without vulnerabilities, and keeps what it had", async () => {
  serveIndex("2026-01-01", { base: { "acme.json": ADVISORIES } });
  await from("/v3/index.json");
  server.pages.set("/v3/index.json", {
    body: JSON.stringify({ version: "3.0.0", resources: [] }),
  });
  await expect(from("/v3/index.json")).rejects.toThrow(/has no resource VulnerabilityInfo/);
  expect([...(await recorders.nuget.page("base")).keys()]).toEqual(["acme.json"]);
});

test("a source of npm only does not make NuGet clients believe in an audit", async () => {
  const document = osvDocument({ id: "GHSA-cccc-cccc-cccc", package: "acme", ecosystem: "npm" });
  server.pages.set("/npm.json", { body: JSON.stringify(document) });
  expect(await from("/npm.json")).toMatchObject({ nuget: { total: 0 }, npm: { total: 1 } });
  expect(await recorders.nuget.state()).toBeUndefined();
  expect((await recorders.nuget.sources()).map(({ name }) => name)).toEqual(["one"]);
  expect([...(await recorders.npm.of(["acme"])).keys()]).toEqual(["acme"]);
});
