import { createMemoryCatalog } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { testSource } from "../../../testing/memory-parts.ts";
import { openScriptedFeed } from "../../../testing/scripted-feed.ts";
import type { ScriptedFeed } from "../../../testing/scripted-feed.ts";
import { openMirrorFeed } from "../mirror-feed.test.support.ts";
import type { MirrorFeed } from "../mirror-feed.test.support.ts";

const url = (id: string) => `https://github.com/advisories/${id}`;
const entry = (severity: number, versions: string, id = "GHSA-aaaa-bbbb-cccc") => ({
  severity,
  url: url(id),
  versions,
});

function openSource(): Promise<ScriptedFeed> {
  return openScriptedFeed(["content", "vulnerabilities"]);
}

type Link = { readonly "@name": string; readonly "@updated": string };

async function shown(feed: MirrorFeed) {
  const index = (await feed.json("/v3/vulnerabilities/index.json")) as readonly Link[];
  const page = (name: string) => feed.json(`/v3/vulnerabilities/${name}.json`);
  return {
    updated: Object.fromEntries(index.map((link) => [link["@name"], link["@updated"]])),
    base: await page("base"),
    update: await page("update"),
  };
}

test("the pages of the feed contain those of sources", async () => {
  await using upstream = await openSource();
  upstream.vulnerabilities.set("base", {
    updated: "2026-01-01T00:00:00Z",
    advisories: {
      "Acme.Json": [entry(2, "(, 2.0.0)"), entry(9, "(, 1.0.0)"), entry(1, "[1.0.0")],
      "Closed.Json": [entry(3, "(, 9.0.0)")],
      "not an id": [entry(3, "(, 9.0.0)")],
    },
  });
  upstream.vulnerabilities.set("later", {
    updated: "2026-02-01T00:00:00Z",
    advisories: { "acme.xml": [entry(0, "(, 1.0.0)")] },
  });
  const source = testSource("nuget", upstream.url, { settings: { deny: ["Closed.*"] } });
  const { advisories } = createMemoryCatalog();
  await using feed = openMirrorFeed([source], { ports: { advisories } });
  const own = { id: "acme.json", severity: 3, url: url("own"), versions: "[1.0.0]" } as const;
  await advisories.replace("own", [own]);
  const { id: _, ...ownEntry } = own;
  const { base, update } = await shown(feed);
  expect(base).toEqual({ "acme.json": [entry(2, "(, 2.0.0)"), ownEntry] });
  expect(update).toEqual({ "acme.xml": [entry(0, "(, 1.0.0)")] });
  expect(JSON.stringify(await feed.json("/v3/index.json"))).toContain("VulnerabilityInfo/6.7.0");
});

test("the host reads only pages that changed, and only their time moves", async () => {
  let now = new Date("2026-10-01T00:00:00Z");
  await using upstream = await openSource();
  const advisories = { "acme.json": [entry(2, "(, 2.0.0)")] };
  upstream.vulnerabilities.set("base", { updated: "2026-01-01T00:00:00Z", advisories });
  upstream.vulnerabilities.set("update", { updated: "2026-01-01T00:00:00Z", advisories: {} });
  const source = testSource("nuget", upstream.url, { settings: { revalidateAfterMs: 60_000 } });
  await using feed = openMirrorFeed([source], { now: () => now });
  const first = await shown(feed);
  expect(first.base).toEqual(advisories);
  await shown(feed);
  const asked = (file: string) => upstream.requests.filter((path) => path.endsWith(file)).length;
  const counts = () => [asked("ies/index.json"), asked("/base.json"), asked("/update.json")];
  expect(counts()).toEqual([1, 1, 1]);

  const added = { "acme.xml": [entry(3, "(, 3.0.0)")] };
  upstream.vulnerabilities.set("update", { updated: "2026-10-01T00:00:30Z", advisories: added });
  now = new Date("2026-10-01T00:02:00Z");
  await expect.poll(() => shown(feed)).toMatchObject({ base: advisories, update: added });
  expect(counts()).toEqual([2, 1, 2]);
  const second = await shown(feed);
  expect(second.updated["base"]).toBe(first.updated["base"]);
  expect(second.updated["update"]).toBe("2026-10-01T00:02:00.000Z");

  // The source fails: the kept pages stay.
  now = new Date("2026-10-01T05:00:00Z");
  upstream.answer = (_path, outgoing) => Boolean(outgoing.writeHead(500).end());
  expect(await shown(feed)).toEqual(second);
});

test.each([
  ["has no vulnerability index", ["content"], () => false],
  ["fails", ["vulnerabilities"], (path) => path.startsWith("/vuln")],
] as const satisfies readonly (readonly [
  string,
  Parameters<typeof openScriptedFeed>[0],
  (path: string) => boolean,
])[])("the index has nothing of a source that %s", async (_, resources, isFault) => {
  await using upstream = await openScriptedFeed(resources);
  upstream.answer = (path, outgoing) =>
    isFault(path) && Boolean(outgoing.writeHead(403).end("<html>"));
  await using feed = openMirrorFeed([testSource("nuget", upstream.url)]);
  expect((await feed.get("/v3/vulnerabilities/index.json")).status).toBe(404);
  expect((await feed.get("/v3/vulnerabilities/base.json")).status).toBe(404);
  expect(await (await feed.get("/v3/index.json")).text()).not.toContain("VulnerabilityInfo");
});
