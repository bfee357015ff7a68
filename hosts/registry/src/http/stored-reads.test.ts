import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DocumentStore, StoredDocument } from "@sealhouse/http-responses";
import {
  createBearerTokens,
  createRefreshTokens,
  openAuthenticator,
  createNameViews,
  createPackageAuthorize,
  openRequestDecisions,
} from "@sealhouse/identity";
import type { NameViews, TokenLookup } from "@sealhouse/identity";
import {
  TEST_PEPPER,
  createMemoryRefreshTokens,
  createMemoryTokenStore,
  createTestRandom,
  createTestToken,
} from "@sealhouse/identity/testing";
import { createAbsentPackages, readOfRequest, viewDocumentKey } from "@sealhouse/npm-protocol";
import { documentKey } from "@sealhouse/nuget-protocol";
import type { NuGetUpstream, ReadServiceIndex } from "@sealhouse/nuget-protocol";
import { afterEach, expect, test, vi } from "vitest";
import type { AccessRules } from "../wiring/access/access.ts";
import { createRequestContexts } from "@sealhouse/http-server";
import { createStoredReads } from "./stored-reads.ts";

const BASE = "https://feed.example";
const VIEW_TIME = "2026-02-01T12:00Z";
const NOW = new Date("2026-03-01T00:00:00Z");
const { token, record } = createTestToken({ scopes: ["read"], patterns: ["acme*"] }, NOW);

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const close of cleanUp.splice(0)) close();
});

const DOCUMENT: StoredDocument = {
  etag: "x",
  contentType: "application/json",
  modifiedAt: NOW,
  identity: Buffer.from("stored"),
};

function storeWith(keys: readonly string[]): DocumentStore {
  return {
    read: async (key) => (keys.includes(key) ? DOCUMENT : undefined),
    revision: async () => 0,
    keep: async () => undefined,
  };
}

type ServerParts = {
  readonly tokens?: TokenLookup;
  readonly views?: NameViews;
  readonly serviceIndex?: ReadServiceIndex;
};

async function openServer(
  anonymousPull: boolean,
  documents?: DocumentStore,
  reviseNuGet: NuGetUpstream["revise"] = () => undefined,
  { tokens = createMemoryTokenStore([record]), views, serviceIndex }: ServerParts = {},
) {
  const identity = {
    tokens,
    pepper: TEST_PEPPER,
    now: () => NOW,
  };
  const rules: AccessRules = {
    authenticator: openAuthenticator(identity),
    bearerTokens: createBearerTokens({
      ...identity,
      issuer: "x",
      service: "x",
      random: createTestRandom(),
    }),
    refreshTokens: createRefreshTokens({
      ...identity,
      store: createMemoryRefreshTokens(),
      random: createTestRandom(),
    }),
    contexts: createRequestContexts({
      trustedProxies: ["127.0.0.1"],
      publicBaseUrls: [BASE],
      hostNames: { npm: ["npm.example"] },
      openDecisions: openRequestDecisions,
    }),
    anonymousPull,
    now: () => NOW,
    ...(views && { views }),
  };
  const mount = { basePath: "/npm", base: `${BASE}/npm` };
  const keyOf = (...request: Parameters<typeof readOfRequest>) => {
    const read = readOfRequest(...request);
    return read?.type === "document" ? read.document.key : "";
  };
  const packument = keyOf("/npm/acme", undefined, mount);
  const own = { basePath: "", base: "https://npm.example" };
  const atRoot = keyOf("/acme", undefined, own);
  const registration = documentKey({ type: "registration", hive: "semver2", id: "acme" }, BASE);
  const lookup = { has: async (name: string) => ["acme", "other", "npm", "v3"].includes(name) };
  const answerStored = createStoredReads({
    gate: () => undefined,
    setDefaultHeaders: () => undefined,
    documents: documents ?? storeWith([packument, atRoot, registration]),
    viewDocuments: storeWith([
      ...[packument, atRoot].map((key) => viewDocumentKey(key, new Date(VIEW_TIME))),
      documentKey({ type: "registration", hive: "semver2", id: "acme" }, `${BASE}/@${VIEW_TIME}`),
    ]),
    rules,
    reviseNuGet,
    counted: (_, work) => work(),
    nuget: serviceIndex && { serviceIndex },
    npm: {
      revise: () => undefined,
      hasHostNames: true,
      writeTarball: async () => false,
      writeAbsent: createAbsentPackages({ lookup, anonymousRead: anonymousPull }),
    },
  });
  const server = createServer(async (incoming, outgoing) => {
    if (await answerStored(incoming, outgoing)) return;
    const { authorization = "" } = incoming.headers;
    const request = new Request(BASE, { headers: { authorization } });
    const packageRequest = { action: "read", name: "acme" } as const;
    const verdict = await createPackageAuthorize(rules, "npm")(
      request,
      { incoming, outgoing },
      packageRequest,
    );
    const isLimited = verdict.status === "limited";
    outgoing.writeHead(isLimited ? 429 : 299).end("the usual way");
  }).listen(0, "127.0.0.1");
  cleanUp.push(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PLAIN_PATHS = ["/npm/acme", "/v3/registration-gz-semver2/acme/index.json"];
const PATHS = [...PLAIN_PATHS, ...PLAIN_PATHS.map((path) => `/@${VIEW_TIME}${path}`)];

test.each(PATHS)("answers %s from the store on a public registry", async (path) => {
  const url = await openServer(true);
  const answer = await fetch(url + path);
  expect([answer.status, await answer.text()]).toEqual([200, "stored"]);
  const again = await fetch(url + path, { headers: { "if-none-match": '"x"' } });
  expect(again.status).toBe(304);
  expect((await fetch(url + path, { method: "HEAD" })).headers.get("content-length")).toBe("6");
});

test.each(PATHS)("%s needs a token that covers the name when not", async (path) => {
  const url = await openServer(false);
  const authorization = `Bearer ${token}`;
  expect((await fetch(url + path)).status).toBe(299);
  expect((await fetch(url + path, { headers: { authorization: "Bearer no" } })).status).toBe(299);
  expect((await fetch(url + path, { headers: { authorization } })).status).toBe(200);
});

test.each([
  [{ variant: "held" }, 200],
  [{ variant: "other" }, 299],
  [{ variant: "held", stale: { source: "upstream", since: NOW } }, 299],
])(
  "with the state %j, a NuGet document of the variant is answered with %i",
  async (state, status) => {
    const kind = { type: "versions", id: "acme" } as const;
    const stored = storeWith([documentKey(kind, BASE, "held")]);
    const url = await openServer(true, stored, (id, document) =>
      id === "acme" && document === "versions" ? state : undefined,
    );
    expect((await fetch(`${url}/v3/package/ACME/index.json`)).status).toBe(status);
  },
);

test("answers a ping to every reader, at both addresses of npm", async () => {
  const url = await openServer(true);
  const atRoot = { headers: { "x-forwarded-host": "npm.example" } };
  const answers = [
    await fetch(`${url}/npm/-/ping`),
    await fetch(`${url}/npm/-/ping?write=true`),
    await fetch(`${url}/-/ping`, atRoot),
    await fetch(`${await openServer(false)}/npm/-/ping`, {
      headers: { authorization: `Bearer ${token}` },
    }),
  ];
  for (const answer of answers) expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
  const usual = [
    await fetch(`${url}/-/ping`),
    await fetch(`${url}/npm/-/ping`, { method: "HEAD" }),
    await fetch(`${url}/npm/-/ping/more`),
    await fetch(`${await openServer(false)}/npm/-/ping`),
  ];
  expect(usual.map(({ status }) => status)).toEqual([299, 299, 299, 299]);
});

test("wrong credentials count once, though two look at them", async () => {
  const url = await openServer(false);
  const headers = { authorization: "Bearer no" };
  const answers: number[] = [];
  for (let n = 0; n < 31; n += 1) {
    const answer = await fetch(`${url}/npm/acme`, { headers });
    answers.push(answer.status);
  }
  expect(answers).toEqual([...Array.from({ length: 30 }, () => 299), 429]);
});

test("the router gets the decision about a private package, and asks nothing again", async () => {
  const tokens = createMemoryTokenStore([record]);
  const hidden = { name: "acme", visibility: "private", owners: [] } as const;
  const visibilities = {
    any: vi.fn(async () => true),
    find: vi.fn(async () => hidden),
    list: vi.fn(async () => [hidden]),
    ownersOf: vi.fn(async () => []),
  };
  const findToken = vi.spyOn(tokens, "findByPrefix");
  const url = await openServer(false, undefined, undefined, {
    tokens,
    views: createNameViews(visibilities),
  });
  const answer = await fetch(`${url}/npm/acme`, { headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, await answer.text()]).toEqual([299, "the usual way"]);
  const counts = [findToken, ...Object.values(visibilities)].map(({ mock }) => mock.calls.length);
  expect(counts).toEqual([1, 1, 1, 0, 1]);
});

test("answers NuGet's service index to everyone, and leaves failures to the router", async () => {
  const serviceIndex = vi.fn<ReadServiceIndex>(async () => DOCUMENT);
  const url = await openServer(false, undefined, undefined, { serviceIndex });
  for (const headers of [{}, { "x-nuget-apikey": "unknown" }]) {
    const answer = await fetch(`${url}/v3/index.json`, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, "stored"]);
  }
  expect(serviceIndex).toHaveBeenLastCalledWith({ base: BASE, cacheable: true });
  serviceIndex.mockRejectedValueOnce(new Error("away"));
  expect((await fetch(`${url}/v3/index.json`)).status).toBe(299);
});

test.each([
  "/npm/other",
  "/npm/acme/-/acme-1.0.0.tgz",
  "/npm/acme?write=true",
  "/npmacme",
  "/v3/index.json",
  "/v3/registration-gz-semver2/other/index.json",
  "/v3/registration-gz-semver2/acme/index.json?x",
  "/@2026-02-01T12:01Z/npm/acme",
  "/@2026-02-01T12:01Z/v3/registration-gz-semver2/acme/index.json",
  "/@2026-02-31T12:00Z/npm/acme",
  `/@${VIEW_TIME}/npm/nobodys`,
  `/@${VIEW_TIME}/npm/-/ping`,
  "/",
])("%s goes the usual way", async (path) => {
  expect((await fetch((await openServer(true)) + path)).status).toBe(299);
});

test.each([
  ["/acme", 200],
  [`/@${VIEW_TIME}/acme`, 200],
  ["/npm/acme", 299],
  ["/v3/registration-gz-semver2/acme/index.json", 299],
  ["/v3", 299],
])("at a host name of npm's own, %s answers %i", async (path, status) => {
  const headers = { "x-forwarded-host": "npm.example" };
  expect((await fetch((await openServer(true)) + path, { headers })).status).toBe(status);
  const elsewhere = await fetch((await openServer(true)) + path);
  expect(elsewhere.status).toBe(status === 200 || path === "/v3" ? 299 : 200);
});

test("requests other than reads, and a failing store, go through the router", async () => {
  const broken = { ...storeWith([]), read: () => Promise.reject(new Error("away")) };
  expect((await fetch(`${await openServer(true, broken)}/npm/acme`)).status).toBe(299);
  const put = await fetch(`${await openServer(true)}/npm/acme`, { method: "PUT", body: "{}" });
  expect(put.status).toBe(299);
});

test("answers an unpublished name at once, with the answer of the app", async () => {
  const url = await openServer(true);
  const answer = await fetch(`${url}/npm/nobodys`);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: "Not found", message: "Not found" },
  ]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const version = await fetch(`${url}/npm/nobodys/1.0.0`);
  expect(await version.json()).toMatchObject({ error: "version not found: 1.0.0" });
  const own = await fetch(`${url}/npm/bun`);
  expect([own.status, own.headers.get("cache-control")]).toEqual([404, "public, max-age=300"]);
  expect((await fetch(`${await openServer(false)}/npm/nobodys`)).status).toBe(299);
});
