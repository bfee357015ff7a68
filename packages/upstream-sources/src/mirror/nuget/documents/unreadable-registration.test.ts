import { buildNuspec } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { testSource } from "../../../testing/memory-parts.ts";
import { openScriptedFeed } from "../../../testing/scripted-feed.ts";
import type { ScriptedFeed } from "../../../testing/scripted-feed.ts";
import { openMirrorFeed } from "../mirror-feed.test.support.ts";
import type { MirrorFeed } from "../mirror-feed.test.support.ts";

const REGISTRATION = "/v3/registration-gz-semver2/acme.widgets/index.json";
const HOUR_MS = 60 * 60_000;

const ANSWERS: readonly (readonly [string, number, string])[] = [
  ["400", 400, '{"error":"no downloads"}'],
  ["401", 401, ""],
  ["403", 403, ""],
  ["410", 410, ""],
  ["a web page", 200, "<html>"],
  ["another document", 200, '{"items":"none"}'],
  ["versions without numbers", 200, '{"items":[{"items":[{"catalogEntry":{"id":"a"}}]}]}'],
];

test.each(ANSWERS)(
  "a source that answers every registration with %s is mirrored by its manifests",
  async (_, status, body) => {
    await using upstream = await openScriptedFeed();
    putWithManifest(upstream, "1.0.0");
    putWithManifest(upstream, "2.0.0");
    breakRegistrations(upstream, status, body);
    await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
    expect(await entriesOf(feed)).toMatchObject([
      { id: "Acme.Widgets", version: "1.0.0", authors: "acme", listed: true },
      {
        version: "2.0.0",
        description: "About widgets.",
        licenseExpression: "MIT",
        tags: ["a", "b"],
        dependencyGroups: [{ dependencies: [{ id: "Other", range: "[1.0.0, )" }] }],
      },
    ]);
    const nupkg = await feed.get("/v3/package/acme.widgets/2.0.0/acme.widgets.2.0.0.nupkg");
    expect(nupkg.status).toBe(200);
    await nupkg.arrayBuffer();
    expect(feed.remarks[0]).toContain("instead of a registration");
    expect(feed.parts.failures).toEqual([]);
  },
);

test("details from before a registration became unreadable stay", async () => {
  let time = new Date("2026-01-01T00:00:00Z");
  await using upstream = await openScriptedFeed();
  upstream.put("Acme.Widgets", "1.0.0", { listed: false });
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)], { now: () => time });
  await entriesOf(feed);
  putWithManifest(upstream, "2.0.0");
  breakRegistrations(upstream, 400, "");
  time = new Date(time.getTime() + HOUR_MS);
  await expect
    .poll(() => entriesOf(feed))
    .toMatchObject([
      { version: "1.0.0", listed: false, published: "2020-03-04T05:06:07.000Z" },
      { version: "2.0.0", listed: true, published: time.toISOString() },
    ]);
});

test("manifests are read for the newest versions first, 16 in a comparison", async () => {
  let time = new Date("2026-01-01T00:00:00Z");
  await using upstream = await openScriptedFeed(["content"]);
  for (let patch = 0; patch < 20; patch += 1) putWithManifest(upstream, `1.0.${patch}`);
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)], { now: () => time });
  const described = async () =>
    (await entriesOf(feed))
      .filter(({ authors }) => authors === "acme")
      .map(({ version }) => version);
  expect((await described())[0]).toBe("1.0.4");
  expect(await described()).toHaveLength(16);
  time = new Date(time.getTime() + HOUR_MS);
  await expect.poll(described, { timeout: 10_000 }).toHaveLength(20);
  const manifests = upstream.requests.filter((path) => path.endsWith(".nuspec"));
  expect(manifests).toHaveLength(20);
});

test("a manifest of another package describes nothing", async () => {
  await using upstream = await openScriptedFeed(["content"]);
  const nuspec = Buffer.from(manifestOf("Other", "1.0.0"));
  upstream.put("Acme.Widgets", "1.0.0", { nuspec });
  upstream.put("Acme.Widgets", "2.0.0", { nuspec: Buffer.from("<html>") });
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  expect(await entriesOf(feed)).toMatchObject([
    { id: "acme.widgets", version: "1.0.0", authors: "" },
    { version: "2.0.0", authors: "" },
  ]);
});

test("an outage of the registrations alone is an outage", async () => {
  await using upstream = await openScriptedFeed();
  putWithManifest(upstream, "1.0.0");
  breakRegistrations(upstream, 503, "");
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  expect((await feed.get(REGISTRATION)).status).toBe(503);
  expect(feed.remarks).toEqual([]);
});

function putWithManifest(upstream: ScriptedFeed, version: string): void {
  const nuspec = manifestOf("Acme.Widgets", version);
  upstream.put("Acme.Widgets", version, { nuspec: Buffer.from(nuspec) });
}

function manifestOf(id: string, version: string): string {
  return buildNuspec(
    `<id>${id}</id><version>${version}</version>
    <authors>acme</authors><description>About widgets.</description>
    <license type="expression">MIT</license><tags>a b</tags>
    <dependencies><dependency id="Other" version="1.0.0" /></dependencies>`,
  );
}

function breakRegistrations(upstream: ScriptedFeed, status: number, body: string): void {
  upstream.answer = (path, outgoing) =>
    path.startsWith("/registration/") && Boolean(outgoing.writeHead(status).end(body));
}

async function entriesOf(feed: MirrorFeed): Promise<readonly Record<string, unknown>[]> {
  const { items } = (await feed.json(REGISTRATION)) as {
    readonly items: readonly {
      readonly items: readonly { readonly catalogEntry: Record<string, unknown> }[];
    }[];
  };
  return items.flatMap((page) => page.items.map(({ catalogEntry }) => catalogEntry));
}
