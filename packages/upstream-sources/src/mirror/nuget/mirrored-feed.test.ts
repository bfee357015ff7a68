import { expect, test } from "vitest";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { testSource } from "../../testing/memory-parts.ts";
import { openMirrorFeed } from "./mirror-feed.test.support.ts";
import type { MirrorFeed } from "./mirror-feed.test.support.ts";
import { openScriptedFeed } from "../../testing/scripted-feed.ts";
import type { ScriptedFeed } from "../../testing/scripted-feed.ts";

const VERSIONS = "/v3/package/acme.widgets/index.json";
const REGISTRATION = "/v3/registration-gz-semver2/acme.widgets/index.json";
const NUPKG = nupkgOf("1.0.0");
const HOUR_MS = 60 * 60_000;

function nupkgOf(version: string): string {
  return `/v3/package/acme.widgets/${version}/acme.widgets.${version}.nupkg`;
}

function bytesAt(feed: ScriptedFeed, version: string): Buffer {
  return Buffer.from(feed.versions.get("acme.widgets")?.get(version)?.bytes ?? []);
}

async function entriesOf(feed: MirrorFeed): Promise<readonly Record<string, unknown>[]> {
  const { items } = (await feed.json(REGISTRATION)) as {
    readonly items: readonly {
      readonly items: readonly { readonly catalogEntry: Record<string, unknown> }[];
    }[];
  };
  return items.flatMap((page) => page.items.map(({ catalogEntry }) => catalogEntry));
}

test("a restore of one version asks for the list and the package, once each", async () => {
  await using upstream = await openScriptedFeed(["content"]);
  upstream.put("Acme.Widgets", "1.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  expect(await feed.json(VERSIONS)).toEqual({ versions: ["1.0.0"] });
  const bytes = bytesAt(upstream, "1.0.0");
  expect(bytes.equals(await feed.bytes(NUPKG))).toBe(true);
  expect(bytes.equals(await feed.bytes(NUPKG))).toBe(true);
  const path = "/flat/acme.widgets";
  expect(upstream.requests).toEqual([
    "/v3/index.json",
    `${path}/index.json`,
    `${path}/1.0.0/acme.widgets.1.0.0.nupkg`,
  ]);
  expect(await feed.memory.ports.lookup.versions("acme.widgets")).toMatchObject([
    { id: "Acme.Widgets", version: "1.0.0", origin: "Mirrored", publishedBy: "system" },
  ]);

  await upstream.close();
  expect((await feed.get(VERSIONS)).status).toBe(200);
  expect((await feed.get(NUPKG)).status).toBe(200);
});

test("a registration keeps what the source tells, with addresses of this feed", async () => {
  await using upstream = await openScriptedFeed(["content", "registration"], { pageSize: 2 });
  const deprecation = { reasons: ["Legacy"], message: "Use another." };
  const vulnerabilities = [{ advisoryUrl: "https://advisories.example/1", severity: "2" }];
  upstream.put("Acme.Widgets", "1.0.0", {
    entry: {
      id: "Acme.Widgets",
      deprecation,
      vulnerabilities,
      iconUrl: `${upstream.origin}/flat/acme.widgets/1.0.0/icon`,
      projectUrl: "javascript:alert(1)",
      dependencyGroups: [
        {
          dependencies: [
            { id: "Other", range: "[1.0.0-a.b, )" },
            { id: "Unreadable", range: "[15.106.0.preview]" },
          ],
        },
      ],
    },
  });
  upstream.put("Acme.Widgets", "1.1.0", { listed: false, published: "1900-01-01T00:00:00Z" });
  upstream.put("Acme.Widgets", "2.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  const before = new Date().toISOString();
  const [first, second, third] = await entriesOf(feed);
  expect(first).toMatchObject({
    id: "Acme.Widgets",
    published: "2020-03-04T05:06:07.000Z",
    iconUrl: "https://feed.example/v3/package/acme.widgets/1.0.0/icon",
    packageContent: `https://feed.example${nupkgOf("1.0.0")}`,
    deprecation,
    vulnerabilities,
    dependencyGroups: [
      { dependencies: [{ range: "[1.0.0-a.b, )" }, { id: "Unreadable", range: "(, )" }] },
    ],
  });
  expect(first).not.toHaveProperty("projectUrl");
  expect(second).toMatchObject({ listed: false, version: "1.1.0" });
  // The source hides the time, so the version counts from when it was first seen.
  expect((second?.["published"] as string) >= before).toBe(true);
  expect(third).toMatchObject({ listed: true, version: "2.0.0" });
  expect(JSON.stringify(await feed.json(REGISTRATION))).not.toContain(upstream.origin);
  // The first version needs SemVer 2.0.0 for its dependency.
  const older = await feed.json("/v3/registration/acme.widgets/index.json");
  expect(older).toMatchObject({ items: [{ count: 2, lower: "1.1.0" }] });
});

test("an unlisted version keeps the time from before, and a package its original one", async () => {
  let time = new Date("2026-01-01T00:00:00Z");
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)], { now: () => time });
  await entriesOf(feed);
  upstream.put("Acme.Widgets", "1.0.0", { listed: false, published: "1900-01-01T00:00:00Z" });
  time = new Date(time.getTime() + HOUR_MS);
  await entriesOf(feed);
  await feed.mirrored.upstream.revise("acme.widgets", "registration");
  await expect
    .poll(() => entriesOf(feed))
    .toMatchObject([{ listed: false, published: "2020-03-04T05:06:07.000Z" }]);
  await feed.bytes(NUPKG);
  expect(await feed.memory.ports.lookup.versions("acme.widgets")).toMatchObject([
    { listed: false, publishedAt: new Date("2020-03-04T05:06:07.000Z") },
  ]);
});

test("20 clients cause one request for the list and one for the package", async () => {
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  const clients = Array.from({ length: 20 }, async () => {
    await feed.json(VERSIONS);
    return feed.bytes(NUPKG);
  });
  const received = await Promise.all(clients);
  expect(received.every((bytes) => bytesAt(upstream, "1.0.0").equals(bytes))).toBe(true);
  const count = (ending: string) =>
    upstream.requests.filter((path) => path.startsWith("/flat") && path.endsWith(ending)).length;
  expect([count("index.json"), count(".nupkg")]).toEqual([1, 1]);
});

const other = Buffer.from(buildNupkg({ id: "Other", version: "1.0.0" }));
const right = Buffer.from(buildNupkg({ id: "Acme.Widgets", version: "1.0.0" }));

test.each([
  ["another id", (send: Send) => send(200, other)],
  [
    "another version",
    (send: Send) => send(200, buildNupkg({ id: "Acme.Widgets", version: "2.0.0" })),
  ],
  ["HTML", (send: Send) => send(200, Buffer.from("<html>"), { "content-type": "text/html" })],
  ["a part", (send: Send) => send(200, right.subarray(0, 200), { "content-length": "900" })],
  ["an error", (send: Send) => send(500, Buffer.from("no"))],
  ["a refusal", (send: Send) => send(403, Buffer.from("no"))],
])("%s instead of the package is answered 503, and nothing is stored", async (_, respond) => {
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0");
  upstream.answer = (path, outgoing) => {
    if (!path.endsWith(".nupkg")) return false;
    respond((status, body, headers = {}) => {
      outgoing.writeHead(status, { "content-length": String(body.length), ...headers });
      outgoing.end(body);
      if (headers["content-length"] !== undefined) outgoing.destroy();
    });
    return true;
  };
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  const response = await feed.get(NUPKG);
  const isCut =
    response.status === 200 && (await response.arrayBuffer().catch(() => "cut")) === "cut";
  expect(isCut || response.status === 503).toBe(true);
  expect(await feed.memory.ports.lookup.find("acme.widgets", "1.0.0")).toBeUndefined();
  expect(feed.memory.openStages()).toBe(0);

  upstream.answer = () => false;
  await expect.poll(async () => (await feed.get(NUPKG)).status).toBe(200);
});

type Send = (status: number, body: Uint8Array, headers?: Readonly<Record<string, string>>) => void;

test("serves and stores a package that breaks a rule for pushes", async () => {
  await using upstream = await openScriptedFeed();
  const metadata = "<icon>missing.gif</icon><projectUrl>about:blank</projectUrl>";
  const bytes = Buffer.from(buildNupkg({ id: "Acme.Widgets", version: "1.0.0", metadata }));
  upstream.put("Acme.Widgets", "1.0.0", { bytes });
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  expect(bytes.equals(await feed.bytes(NUPKG))).toBe(true);
  expect(await feed.memory.ports.lookup.find("acme.widgets", "1.0.0")).toBeDefined();
});

const ICON = { name: "icon.png", data: "icon" };

test.each([true, false])(
  "serves and stores a package with one file twice (as received: %s)",
  async (isAsReceived) => {
    await using upstream = await openScriptedFeed();
    const entries = [ICON, { ...ICON, name: "Icon.png" }, ICON];
    const bytes = Buffer.from(buildNupkg({ id: "Acme.Widgets", version: "1.0.0", entries }));
    upstream.put("Acme.Widgets", "1.0.0", { bytes });
    await using feed = openMirrorFeed([testSource("nuget", upstream.url)], { isAsReceived });
    expect(bytes.equals(await feed.bytes(NUPKG))).toBe(true);
    expect(await feed.memory.ports.lookup.find("acme.widgets", "1.0.0")).toBeDefined();
  },
);

test.each([
  ["two files under one name", { entries: [ICON, { ...ICON, data: "other" }] }, /twice/],
  ["a path that leaves its folder", { entries: [{ ...ICON, name: "../evil.dll" }] }, /leaves/],
  ["two manifests", { entries: [{ ...ICON, name: "other.nuspec" }] }, /2 \.nuspec files/],
])("%s are answered 404 with the reason for a day, and not listed", async (_, recipe, reason) => {
  const clock = { time: new Date("2026-03-01T10:00:00Z") };
  const now = () => clock.time;
  await using upstream = await openScriptedFeed();
  const bytes = Buffer.from(buildNupkg({ id: "Acme.Widgets", version: "1.0.0", ...recipe }));
  upstream.put("Acme.Widgets", "1.0.0", { bytes });
  upstream.put("Acme.Widgets", "2.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)], {
    now,
    isAsReceived: false,
  });
  const versions = () => feed.json("/v3/package/acme.widgets/index.json");
  const fetched = () => upstream.requests.filter((path) => path.endsWith(".nupkg")).length;
  expect(await versions()).toEqual({ versions: ["1.0.0", "2.0.0"] });
  for (let time = 0; time < 2; time += 1) {
    const refused = await feed.get(NUPKG);
    expect([refused.status, refused.headers.has("retry-after")]).toEqual([404, false]);
    expect(refused.headers.get("x-nuget-warning")).toMatch(reason);
  }
  expect(fetched()).toBe(1);
  expect(await versions()).toEqual({ versions: ["2.0.0"] });
  const registration = JSON.stringify(await feed.json(REGISTRATION));
  expect([registration.includes("1.0.0.nupkg"), registration.includes("2.0.0.nupkg")]).toEqual([
    false,
    true,
  ]);
  clock.time = new Date("2026-03-02T11:00:00Z");
  await feed.get(NUPKG);
  expect(fetched()).toBe(2);
});

test("does not store a package with another hash than in the catalog", async () => {
  await using upstream = await openScriptedFeed(["content", "registration", "catalog"]);
  upstream.put("Acme.Widgets", "1.0.0", { hash: "AAAA" });
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  const received = await feed.bytes(NUPKG).catch(() => Buffer.alloc(0));
  expect(right.equals(received)).toBe(false);
  expect(await feed.memory.ports.lookup.find("acme.widgets", "1.0.0")).toBeUndefined();
  upstream.put("Acme.Widgets", "1.0.0");
  expect(right.equals(await feed.bytes(NUPKG))).toBe(true);
});

test("a registration of another package is an error, and nothing is kept of it", async () => {
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0", { entry: { id: "Other" } });
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  expect((await feed.get(REGISTRATION)).status).toBe(503);
  upstream.answer = (_path, outgoing) => Boolean(outgoing.writeHead(200).end("<html>"));
  expect((await feed.get("/v3/package/another/index.json")).status).toBe(503);
});

test("ids that are published here are never asked upstream", async () => {
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "99.0.0");
  const own = ["nuget/acme.widgets"];
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)], { own });
  for (const path of [VERSIONS, REGISTRATION, nupkgOf("99.0.0"), "/shield/acme.widgets"]) {
    expect((await feed.get(path)).status).toBe(404);
  }
  expect(upstream.requests).toEqual([]);
});

test("a push does not replace a package that only the source has had so far", async () => {
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  const push = (id: string) => feed.put(Buffer.from(buildNupkg({ id, version: "9.0.0" })));
  const refused = await push("ACME.Widgets");
  expect([refused.status, refused.headers.get("x-nuget-warning")]).toEqual([
    403,
    expect.stringMatching(/"upstream".*sealhouse source release nuget ACME\.Widgets/s),
  ]);
  expect((await push("Acme.New")).status).toBe(201);
  const asked = upstream.requests.length;
  expect((await push("Acme.New")).status).toBe(409);
  await feed.parts.origins.reserve("nuget", "acme.kept", { actor: "admin" });
  expect((await push("Acme.Kept")).status).toBe(201);
  expect(upstream.requests.slice(asked)).toEqual([]);
  // While the source fails, it may have the name.
  upstream.answer = (_path, outgoing) => Boolean(outgoing.writeHead(503).end());
  const unknown = await push("Acme.Other");
  expect([unknown.status, unknown.headers.has("retry-after")]).toEqual([503, true]);
});

test("an outage is answered with the kept document, and without one with 503", async () => {
  let time = new Date();
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)], { now: () => time });
  await feed.json(VERSIONS);
  upstream.answer = (_path, outgoing) => Boolean(outgoing.writeHead(503).end());
  time = new Date(time.getTime() + HOUR_MS);
  await feed.json(VERSIONS);
  await expect
    .poll(async () => {
      time = new Date(time.getTime() + 2_000);
      return (await feed.get(VERSIONS)).headers.get("x-sealhouse-stale");
    })
    .toMatch(/^upstream; since=/);
  const unknown = await feed.get("/v3/package/another/index.json");
  expect(unknown.status).toBe(503);
  expect(unknown.headers.has("retry-after")).toBe(true);
});

test.each([
  ["Hide", ["2.0.0"], 200],
  ["Keep", ["1.0.0", "2.0.0"], 200],
  ["Deny", ["2.0.0"], 404],
] as const)(
  "with OnRemoved=%s, a removed version leaves the list %j, and its stored file answers %i",
  async (onRemoved, versions, status) => {
    let time = new Date();
    await using upstream = await openScriptedFeed();
    upstream.put("Acme.Widgets", "1.0.0");
    upstream.put("Acme.Widgets", "2.0.0");
    const settings = { onRemoved, revalidateAfterMs: 0, staleIfErrorMs: 0 };
    const source = testSource("nuget", upstream.url, { settings });
    await using feed = openMirrorFeed([source], { now: () => time });
    expect(right.equals(await feed.bytes(NUPKG))).toBe(true);
    upstream.versions.get("acme.widgets")?.delete("1.0.0");
    time = new Date(time.getTime() + HOUR_MS);
    await expect.poll(() => feed.json(VERSIONS)).toEqual({ versions });
    expect((await feed.get(NUPKG)).status).toBe(status);
  },
);

test("files of versions that are not stored come from the source", async () => {
  await using upstream = await openScriptedFeed(["content", "registration", "readme"]);
  const files = { "docs/readme.md": "# From the package", "icon.png": PNG };
  const metadata = "<readme>docs/readme.md</readme><icon>icon.png</icon>";
  const bytes = buildNupkg({ id: "Acme.Widgets", version: "1.0.0", metadata, files });
  upstream.put("Acme.Widgets", "1.0.0", { bytes });
  upstream.answer = (path, outgoing) =>
    path.endsWith(".nuspec") && Boolean(outgoing.writeHead(200).end("<package/>"));
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  const file = async (name: string) =>
    (await feed.get(`/v3/package/acme.widgets/1.0.0/${name}`)).text();
  expect(await file("acme.widgets.nuspec")).toBe("<package/>");
  expect(await file("readme")).toBe("# acme.widgets 1.0.0");
  expect(upstream.requests.some((path) => path.endsWith(".nupkg"))).toBe(false);
  // A source has icons only in its packages.
  expect((await feed.get("/v3/package/acme.widgets/1.0.0/icon")).status).toBe(200);
  expect(await file("readme")).toBe("# From the package");
});

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

test.each([
  ["IndexAndCache", "Mirrored"],
  ["CacheOnly", "Cached"],
  ["ProxyOnly", undefined],
] as const)("the strategy %s stores packages as %s", async (strategy, origin) => {
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url, { strategy })]);
  expect(right.equals(await feed.bytes(NUPKG))).toBe(true);
  const stored = await feed.memory.ports.lookup.versions("acme.widgets");
  expect(stored.map((version) => version.origin)).toEqual(origin === undefined ? [] : [origin]);
});

test("credentials go to the origin of the source, and not to that of its resources", async () => {
  await using resources = await openScriptedFeed();
  await using upstream = await openScriptedFeed();
  resources.put("Acme.Widgets", "1.0.0");
  upstream.resourcesAt = resources.origin.replace("127.0.0.1", "localhost");
  const credentials = { type: "basic", username: "user", password: "secret" } as const;
  const source = testSource("nuget", upstream.url, { credentials });
  await using feed = openMirrorFeed([source]);
  expect(right.equals(await feed.bytes(NUPKG))).toBe(true);
  expect(new Set(resources.credentials.values())).toEqual(new Set([undefined]));
  expect(upstream.credentials.get("/v3/index.json")).toMatch(/^Basic /);

  const settings = { credentialOrigins: [upstream.resourcesAt] };
  await using listed = openMirrorFeed([
    { ...source, settings: { ...source.settings, ...settings } },
  ]);
  expect(right.equals(await listed.bytes(NUPKG))).toBe(true);
  expect([...resources.credentials.values()].every((value) => value?.startsWith("Basic "))).toBe(
    true,
  );
});

test("offline, no source is asked", async () => {
  await using upstream = await openScriptedFeed();
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)], { isOffline: true });
  expect((await feed.get(VERSIONS)).status).toBe(404);
  expect((await feed.get(NUPKG)).status).toBe(404);
  expect(upstream.requests).toEqual([]);
});
