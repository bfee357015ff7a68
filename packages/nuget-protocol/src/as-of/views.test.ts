import { expect, test } from "vitest";
import { createMemoryDocuments } from "../testing/memory-documents.ts";
import { createTestFeed } from "../testing/test-feed.ts";
import type { PackagePast, PastVersion } from "./ports.ts";

type Interval = PastVersion & { readonly from: number };

const ID = "acme.widgets";
const hour = (number: number) => new Date(Date.UTC(2026, 9, 1, number));
const version = (text: string, from: number, more: Partial<PastVersion> = {}): Interval => ({
  version: text,
  listed: true,
  isKept: true,
  from,
  ...more,
});

/** 1.0.0 is unlisted and deprecated from hour 2 on; 1.1.0 is deleted in hour 4. */
const INTERVALS: readonly Interval[] = [
  version("1.0.0", 1, { until: hour(2) }),
  version("1.0.0", 2, { listed: false, deprecation: { reasons: ["Legacy"] } }),
  version("1.1.0", 2, { isKept: false, until: hour(4) }),
  version("2.0.0-rc.1", 3),
];

const past: PackagePast = {
  async versions(id, time) {
    const held = INTERVALS.filter(
      ({ from, until }) => hour(from) <= time && (!until || time < until),
    );
    return id === ID ? held : [];
  },
  async version(id, wanted, time) {
    const versions = await past.versions(id, time);
    return versions.find((found) => found.version === wanted);
  },
  kept: async () => [],
  beginning: async () => hour(1),
};

async function openFeed() {
  const views = { past, documents: createMemoryDocuments() };
  const feed = createTestFeed({ views }, { now: () => hour(12) });
  await feed.fill("Acme.Widgets", "1.0.0", "2.0.0-rc.1", "3.0.0");
  return feed;
}

test.each([
  ["01:30", ["1.0.0"]],
  ["02:00", ["1.0.0", "1.1.0"]],
  ["03:59:59", ["1.0.0", "1.1.0", "2.0.0-rc.1"]],
  ["04:00:00.000", ["1.0.0", "2.0.0-rc.1"]],
])("the feed as of %s has the versions %j", async (time, versions) => {
  const feed = await openFeed();
  const path = `/@2026-10-01T${time}Z/v3/package/${ID}/index.json`;
  expect(await feed.json(path)).toEqual({ versions });
  expect(await feed.json(path)).toEqual({ versions });
});

test.each([
  ["01:30", [["1.0.0", true, undefined]]],
  [
    "03:30",
    [
      ["1.0.0", false, "Legacy"],
      ["2.0.0-rc.1", true, undefined],
    ],
  ],
])("the registration as of %s describes %j, with links into the view", async (time, expected) => {
  const feed = await openFeed();
  const base = `/@2026-10-01T${time}Z/v3/registration-gz-semver2/${ID}`;
  const index = await feed.json(`${base}/index.json`);
  const text = JSON.stringify(index);
  const entries = [...text.matchAll(/"catalogEntry":(\{.*?"version":"[^"]+"[^}]*\})/g)].length;
  expect(entries).toBe(expected.length);
  for (const [found, listed, reason] of expected) {
    const leaf = await feed.json(`${base}/${String(found)}.json`);
    expect(leaf).toMatchObject({ listed, "@id": `https://feed.example${base}/${found}.json` });
    if (reason !== undefined) expect(text).toContain(`"reasons":["${String(reason)}"]`);
  }
  const links = text.match(/https:\/\/feed\.example\/[^"]+/g) ?? [];
  expect(links.filter((link) => !link.startsWith(`https://feed.example/@2026`))).toEqual([]);
});

test("the service index stays in the view, without search and pushes", async () => {
  const feed = await openFeed();
  const index = await feed.json("/@2026-10-01T01:30Z/v3/index.json");
  const { resources } = index as { resources: { "@id": string; "@type": string }[] };
  const types = resources.map((resource) => resource["@type"]).join(" ");
  expect(types).toContain("PackageBaseAddress/3.0.0 RegistrationsBaseUrl");
  expect(types).not.toMatch(/Search|Catalog|Publish|Details/);
  for (const resource of resources) {
    expect(resource["@id"]).toContain("https://feed.example/@2026-10-01T01:30Z/v3/");
  }
});

test("a file is served as of each time at which it was here", async () => {
  const feed = await openFeed();
  const path = `/v3/package/${ID}/2.0.0-rc.1/${ID}.2.0.0-rc.1.nupkg`;
  const today = Buffer.from(await (await feed.get(path)).arrayBuffer());
  const then = await feed.get(`/%402026-10-01T03%3A00Z${path}`);
  expect(Buffer.from(await then.arrayBuffer()).equals(today)).toBe(true);
  expect((await feed.get(`/@2026-10-01T02:00Z${path}`)).status).toBe(404);
});

test.each([
  ["2026-10-01T00:59Z", "index.json", "the history begins at 2026-10-01T01:00:00.000Z"],
  ["2026-10-01T12:01Z", "index.json", "as of 2026-10-01T12:01Z: this time is in the future"],
  ["2026-13-01T00:00Z", "index.json", "is not a time"],
  ["2026-10-01T02:00Z", "package/none/index.json", "none was not here as of 2026-10-01T02:00Z"],
  ["2026-10-01T02:00Z", `package/${ID}/3.0.0/${ID}.3.0.0.nupkg`, "3.0.0 was not here as of"],
  ["2026-10-01T02:00Z", `package/${ID}/1.1.0/${ID}.1.1.0.nupkg`, "until 2026-10-01T04:00:00.000Z"],
  ["2026-10-01T02:00Z", `registration/${ID}/1.1.0.json`, "until 2026-10-01T04:00:00.000Z"],
  ["2026-10-01T02:00Z", "search?q=acme", "without the time"],
])("the view as of %s answers /v3/%s with 404 and says: %s", async (time, path, text) => {
  const feed = await openFeed();
  const answer = await feed.get(`/@${time}/v3/${path}`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining(text) });
});

test.each([
  ["PUT", "/api/v2/package"],
  ["DELETE", `/api/v2/package/${ID}/1.0.0`],
  ["POST", `/api/v2/package/${ID}/1.0.0`],
  ["PUT", "/api/v2/symbolpackage"],
])("a view refuses %s %s", async (method, path) => {
  const feed = await openFeed();
  const early = await feed.app.request(`/@2025-10-01T02:00Z${path}`, { method, body: "x" });
  expect(early.status).toBe(405);
  const answer = await feed.app.request(`/@2026-10-01T02:00Z${path}`, { method, body: "x" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(await answer.json()).toMatchObject({
    detail: expect.stringContaining("a read-only view as of 2026-10-01T02:00Z"),
  });
  expect(await feed.json(`/v3/package/${ID}/index.json`)).toMatchObject({
    versions: ["1.0.0", "2.0.0-rc.1", "3.0.0"],
  });
});

test("a view asks for the same rights as the feed, and tells others nothing", async () => {
  const views = { past, documents: createMemoryDocuments() };
  const asked: string[] = [];
  const feed = createTestFeed({
    views,
    authorize: async (_request, _env, { action, name }) => {
      asked.push(`${action} ${name ?? ""}`);
      return { status: "anonymous", reason: "" };
    },
  });
  for (const file of ["index.json", `1.1.0/${ID}.1.1.0.nupkg`]) {
    const answer = await feed.get(`/@2026-10-01T02:00Z/v3/package/${ID}/${file}`);
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain("2026");
  }
  expect(asked).toEqual([`read ${ID}`, `read ${ID}`]);
});

test("without a history there are no views", async () => {
  const answer = await createTestFeed().get("/@2026-10-01T02:00Z/v3/index.json");
  expect([answer.status, await answer.text()]).toEqual([404, "404 Not Found"]);
});
