import { expect, test } from "vitest";
import { createNpmApp } from "../app.ts";
import type { NpmPorts } from "../ports.ts";
import { createMemoryNpmPorts } from "../testing/memory-ports.ts";
import { json, put } from "../testing/registry.ts";
import type { NpmPast, PastPackage } from "./ports.ts";

type Interval = { readonly from: number; readonly until?: number };

const hour = (number: number) => new Date(Date.UTC(2026, 9, 1, number));
const isHeld = ({ from, until }: Interval, time: Date) =>
  hour(from) <= time && (until === undefined || time < hour(until));

/** `latest` moves to 1.1.0 in hour 2, and to 2.0.0, which is unpublished later, in hour 3. */
const VERSIONS = [
  { version: "1.0.0", from: 1 },
  { version: "1.1.0", from: 2 },
  { version: "2.0.0", from: 3, until: 5 },
];
const TAGS = [
  { tag: "latest", version: "1.0.0", from: 1, until: 2 },
  { tag: "latest", version: "1.1.0", from: 2, until: 3 },
  { tag: "latest", version: "2.0.0", from: 3, until: 5 },
  { tag: "latest", version: "3.0.0", from: 6 },
  { tag: "next", version: "2.0.0", from: 3, until: 5 },
];
const DEPRECATED = [{ version: "1.0.0", text: "too old", from: 3 }];

function pastOf(integrityOf: (version: string) => string): NpmPast {
  const versionsAt = (time: Date): PastPackage["versions"] =>
    new Map(
      VERSIONS.filter((interval) => isHeld(interval, time)).map(({ version, until }) => {
        const deprecation = DEPRECATED.find(
          (interval) => interval.version === version && isHeld(interval, time),
        );
        return [
          version,
          {
            integrity: integrityOf(version),
            ...(deprecation && { deprecated: deprecation.text }),
            ...(until !== undefined && { until: hour(until) }),
          },
        ];
      }),
    );
  return {
    async find(name, time) {
      const versions = versionsAt(time);
      if (name !== "demo" || versions.size === 0) return undefined;
      const tags = TAGS.filter((interval) => isHeld(interval, time));
      const distTags = Object.fromEntries(tags.map(({ tag, version }) => [tag, version]));
      return { versions, distTags, changedAt: time };
    },
    version: async (_name, version, time) => versionsAt(time).get(version),
    kept: async () => [],
    beginning: async () => hour(1),
  };
}

/** Has the versions 1.0.0, 1.1.0 and 3.0.0, of which 3.0.0 has a README. */
async function openRegistry(overrides: Partial<NpmPorts> = {}) {
  const memory = createMemoryNpmPorts();
  const integrities = new Map<string, string>();
  const past = pastOf((version) => integrities.get(version) ?? "sha512-gone");
  const views = { past, documents: createMemoryNpmPorts().documents };
  const ports = { ...memory, views, ...overrides };
  const settings = { anonymousRead: true, basePath: "/npm", now: () => hour(12) };
  const open = createNpmApp(memory, settings);
  for (const version of ["1.0.0", "1.1.0", "3.0.0"]) {
    await put(open, { version, readme: `# ${version}` });
  }
  for (const { version, integrity } of (await memory.lookup.find("demo"))?.versions ?? []) {
    integrities.set(version, integrity);
  }
  const app = createNpmApp(ports, settings);
  const read = async (time: string, path: string, init?: RequestInit) =>
    app.request(`/@2026-10-01T${time}Z/npm${path}`, init);
  return { app, read };
}

test.each([
  ["01:30", ["1.0.0"], { latest: "1.0.0" }],
  ["02:00", ["1.0.0", "1.1.0"], { latest: "1.1.0" }],
  // 2.0.0 is gone, and npm --before leaves it out as well.
  ["04:00", ["1.0.0", "1.1.0"], { latest: "1.1.0" }],
  // No tag is known for this time, so latest follows the current one.
  ["05:30", ["1.0.0", "1.1.0"], { latest: "1.1.0" }],
])("a packument as of %s has the versions %j and the tags %j", async (time, versions, tags) => {
  const { read } = await openRegistry();
  const abbreviated = { headers: { accept: "application/vnd.npm.install-v1+json" } };
  for (const init of [undefined, abbreviated]) {
    const document = (await (await read(time, "/demo", init)).json()) as Record<string, object>;
    expect(Object.keys(document["versions"] ?? {})).toEqual(versions);
    expect(document["dist-tags"]).toEqual(tags);
    expect(Object.keys(document["time"] ?? {})).toEqual(["created", "modified", ...versions]);
    expect(document["versions"]).toMatchObject({
      "1.0.0": { dist: { tarball: "http://registry.test/npm/demo/-/demo-1.0.0.tgz" } },
    });
    expect(document).not.toHaveProperty("readme");
  }
  expect(await (await read(time, "/-/package/demo/dist-tags")).json()).toEqual(tags);
});

test.each([
  ["02:59", undefined],
  ["03:00", "too old"],
])("a deprecation counts from its time on: as of %s it is %s", async (time, deprecated) => {
  const { read } = await openRegistry();
  const manifest = (await (await read(time, "/demo/1.0.0")).json()) as object;
  expect(manifest).toEqual(expect.objectContaining({ version: "1.0.0" }));
  expect("deprecated" in manifest ? manifest.deprecated : undefined).toBe(deprecated);
});

test("views and the registry keep separate documents", async () => {
  const { app, read } = await openRegistry();
  const versionsOf = async (answer: Response) =>
    Object.keys(((await answer.json()) as { versions: object }).versions);
  for (let round = 0; round < 2; round += 1) {
    expect(await versionsOf(await app.request("/npm/demo"))).toHaveLength(3);
    expect(await versionsOf(await read("01:30", "/demo"))).toHaveLength(1);
    expect(await versionsOf(await read("02:30", "/demo"))).toHaveLength(2);
  }
  const below = await app.request("/npm/@2026-10-01T01:30Z/demo");
  expect(await versionsOf(below)).toEqual(["1.0.0"]);
});

test.each([
  ["00:59", "/demo", "the history begins at 2026-10-01T01:00:00.000Z"],
  ["12:01", "/demo", "in the future"],
  ["25:00", "/demo", "is not a time"],
  ["02:00", "/other", "other was not here as of 2026-10-01T02:00Z"],
  ["02:00", "/demo/2.0.0", "demo 2.0.0 was not here as of 2026-10-01T02:00Z"],
  ["04:00", "/demo/2.0.0", "demo 2.0.0 was here as of 2026-10-01T04:00Z, and until"],
  ["04:00", "/demo/-/demo-2.0.0.tgz", "until 2026-10-01T05:00:00.000Z"],
  ["02:00", "/demo/-/demo-3.0.0.tgz", "demo 3.0.0 was not here"],
  ["02:00", "/demo/beta", "demo beta was not here"],
  ["02:00", "/-/v1/search?text=demo", "without the time"],
])("the view as of %s answers %s with 404 and says: %s", async (time, path, text) => {
  const { read } = await openRegistry();
  const answer = await read(time, path);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: expect.stringContaining(text) });
});

test("a view serves the tarballs of its versions", async () => {
  const { app, read } = await openRegistry();
  const path = "/demo/-/demo-1.1.0.tgz";
  const today = await (await app.request(`/npm${path}`)).arrayBuffer();
  expect(await (await read("02:00", path)).arrayBuffer()).toEqual(today);
});

test.each([
  ["PUT", "/demo"],
  ["PUT", "/-/package/demo/dist-tags/next"],
  ["DELETE", "/-/package/demo/dist-tags/next"],
  ["DELETE", "/demo/-rev/1"],
  ["POST", "/-/npm/v1/security/advisories/bulk"],
  ["PUT", "/-/user/org.couchdb.user:me"],
])("a view refuses %s %s", async (method, path) => {
  const { read } = await openRegistry();
  const answer = await read("02:00", path, { method, headers: json, body: "{}" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(await answer.json()).toMatchObject({
    error: expect.stringContaining("a read-only view as of 2026-10-01T02:00Z"),
  });
});

test("a caller who may not read the package learns nothing", async () => {
  const { read } = await openRegistry({
    authorize: async () => ({ status: "denied", reason: "no", isConcealed: true }),
  });
  for (const path of ["/demo", "/demo/2.0.0", "/demo/-/demo-2.0.0.tgz", "/other"]) {
    const answer = await read("04:00", path);
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: "Not found" }]);
  }
});
