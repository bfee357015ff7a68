import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HOSTILE_ANSWERS } from "../../testing/hostile-answers.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { testSource } from "../../testing/memory-parts.ts";
import { openScriptedFeed } from "../../testing/scripted-feed.ts";
import type { ScriptedFeed } from "../../testing/scripted-feed.ts";
import {
  readRegistration,
  savedRegistration,
  withKnownTimes,
} from "./documents/kept-registration.ts";
import { createRefusedFiles } from "./files/refused-files.ts";
import { openMirrorFeed } from "./mirror-feed.test.support.ts";

const HOUR_MS = 60 * 60_000;
const LIST = "/v3/package/acme.leaf/index.json";
const FILE = "/v3/package/acme.leaf/1.0.0/acme.leaf.1.0.0.nupkg";
const REGISTRATION = "/v3/registration-gz-semver2/acme.leaf/index.json";

let upstream: ScriptedFeed;
beforeEach(async () => {
  upstream = await openScriptedFeed(["content", "registration", "catalog"]);
});
afterEach(() => upstream[Symbol.asyncDispose]());

function open(settings: Parameters<typeof testSource>[2] = {}) {
  const clock = { ms: Date.now() };
  const feed = openMirrorFeed([testSource("nuget", upstream.url, settings)], {
    now: () => new Date(clock.ms),
  });
  return Object.assign(feed, { pass: (ms: number) => void (clock.ms += ms) });
}

type Answer = (outgoing: ServerResponse) => void;
const attack = (path: string, answer: Answer) => {
  upstream.answer = (asked, outgoing) => {
    if (asked.split("?")[0] !== path) return false;
    answer(outgoing);
    return true;
  };
};
const sending =
  (status: number, body = "", headers: Record<string, string> = {}): Answer =>
  (outgoing) =>
    void outgoing.writeHead(status, headers).end(body);

test.each([
  ["an outage", sending(503)],
  ["a refusal", sending(403)],
  ["a page for people", sending(200, "<html>", { "content-type": "text/html" })],
  ["a list", sending(200, "[]")],
  ["a text", sending(200, '"x"')],
  ["null", sending(200, "null")],
  ["versions that are no list", sending(200, '{"versions":{}}')],
  ["too many levels", sending(200, `{"versions":[],"x":${"[".repeat(9_000)}${"]".repeat(9_000)}}`)],
])("instead of the list %s: the kept list, or 503", async (_, answer) => {
  upstream.put("Acme.Leaf", "1.0.0");
  await using feed = open();
  attack("/flat/acme.leaf/index.json", answer);
  expect((await feed.get(LIST)).status).toBe(503);
  upstream.answer = () => false;
  feed.pass(HOUR_MS);
  expect(await feed.json(LIST)).toEqual({ versions: ["1.0.0"] });
  attack("/flat/acme.leaf/index.json", answer);
  feed.pass(HOUR_MS);
  expect(await feed.json(LIST)).toEqual({ versions: ["1.0.0"] });
});

test.each([
  ["a number", { versions: [1, "1.0.0"] }],
  ["an object", { versions: [{}, "1.0.0"] }],
  ["a text that is no version", { versions: ["latest", "1.0.0"] }],
  ["a path", { versions: ["../x", "1.0.0"] }],
])("a list with %s shows no such version", async (_, list) => {
  upstream.put("Acme.Leaf", "1.0.0");
  attack("/flat/acme.leaf/index.json", sending(200, JSON.stringify(list)));
  await using feed = open();
  const response = await feed.get(LIST);
  const text = await response.text();
  expect(response.status === 503 || text === '{"versions":["1.0.0"]}').toBe(true);
});

const ENDING = ["bomb", "cut", "empty", "no-content", "page", "unasked-304"];

test.each(ENDING)("refuses the hostile file %s, and takes a right one later", async (name) => {
  const files = { "lib/netstandard2.0/a.dll": randomBytes(100_000) };
  upstream.put("Acme.Leaf", "1.0.0", {
    bytes: buildNupkg({ id: "Acme.Leaf", version: "1.0.0", files }),
  });
  const hostile = HOSTILE_ANSWERS[name] ?? expect.unreachable();
  await using feed = open({ settings: { maxFileBytes: 1024 * 1024 } });
  await feed.get(LIST);
  attack("/flat/acme.leaf/1.0.0/acme.leaf.1.0.0.nupkg", (outgoing) =>
    hostile(outgoing.req, outgoing),
  );
  const read = async () => {
    const response = await feed.get(FILE);
    const bytes = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
    return [response.status, bytes.byteLength];
  };
  const [, length] = await read();
  expect(length).toBeLessThan(100_000);
  expect(feed.memory.storedFiles.size).toBe(0);
  expect(feed.memory.openStages()).toBe(0);
  upstream.answer = () => false;
  feed.pass(25 * HOUR_MS);
  const [status, whole] = await read();
  expect([status, (whole ?? 0) > 100_000]).toEqual([200, true]);
});

test("a file of another version is not stored under the requested one", async () => {
  const other = buildNupkg({ id: "Acme.Leaf", version: "2.0.0" });
  upstream.put("Acme.Leaf", "1.0.0", { bytes: other });
  await using feed = open();
  const response = await feed.get(FILE);
  await response.arrayBuffer().catch(() => undefined);
  expect(await feed.memory.ports.lookup.find("acme.leaf", "2.0.0")).toBeUndefined();
  expect(await feed.memory.ports.lookup.find("acme.leaf", "1.0.0")).toBeUndefined();
});

test.each([
  ["ProxyOnly", false, 2],
  ["IndexAndCache", true, 1],
  ["CacheOnly", true, 1],
] as const)("%s keeps the file: %s, and asks %i times", async (strategy, isKept, times) => {
  upstream.put("Acme.Leaf", "1.0.0");
  await using feed = open({ strategy });
  for (let time = 0; time < 2; time += 1) {
    expect((await feed.bytes(FILE)).length).toBeGreaterThan(100);
  }
  expect((await feed.memory.ports.lookup.find("acme.leaf", "1.0.0")) !== undefined).toBe(isKept);
  expect(upstream.requests.filter((path) => path.endsWith(".nupkg"))).toHaveLength(times);
});

test("a registration whose times are nonsense keeps the version", async () => {
  upstream.put("Acme.Leaf", "1.0.0", { published: "soon" });
  upstream.put("Acme.Leaf", "1.1.0", { published: "+275760-09-13T00:00:00Z" });
  await using feed = open();
  const response = await feed.get(REGISTRATION);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("1.1.0");
});

test("remembers refused files of a thousand versions for a day", async () => {
  const clock = { ms: Date.now() };
  const now = () => new Date(clock.ms);
  const { documents } = createMemoryMirrorPorts({ now });
  const refused = createRefusedFiles({ kept: documents, now });
  const source = testSource("nuget", upstream.url);
  const versionsOf = async () => [...(await refused.of(source, "acme.leaf")).keys()];
  await refused.note(source, { id: "acme.leaf", version: "1.0.0" }, "x".repeat(5_000));
  await refused.note(source, { id: "acme.leaf", version: "1.0.0" }, "again");
  await refused.note(source, { id: "other", version: "1.0.0" }, "other");
  expect([...(await refused.of(source, "acme.leaf"))]).toEqual([["1.0.0", "again"]]);
  clock.ms += 12 * HOUR_MS;
  for (let patch = 0; patch < 1_000; patch += 1) {
    await refused.note(source, { id: "acme.leaf", version: `2.0.${patch}` }, "r".repeat(2_000));
  }
  const all = await refused.of(source, "acme.leaf");
  expect([all.size, all.has("1.0.0"), all.get("2.0.1")?.length]).toEqual([1_000, false, 1_000]);
  clock.ms += 24 * HOUR_MS;
  expect(await versionsOf()).toEqual([]);
});

test("the earliest time that a source has ever told counts", () => {
  const now = new Date("2026-03-01T00:00:00Z");
  const at = (text: string) => new Date(`${text}T00:00:00Z`);
  const version = (number: string, publishedAt?: Date) => ({
    id: "Acme.Leaf",
    version: number,
    listed: true,
    packageContent: new URL("https://feed.example/x"),
    ...(publishedAt && { publishedAt }),
  });
  const seen = at("2026-02-01");
  const before = withKnownTimes(
    [version("1.0", at("2020-01-01")), version("2.0", at("2021-01-01")), version("3.0")] as never,
    [],
    seen,
  );
  const saved = readRegistration(savedRegistration(before));
  expect(saved).toEqual(before);
  const after = withKnownTimes(
    [
      version("1.0.0", at("2019-01-01")),
      version("2.0.0"),
      version("3.0.0"),
      version("4.0.0"),
    ] as never,
    saved,
    now,
  );
  expect(after.map(({ publishedAt, firstSeenAt }) => [publishedAt, firstSeenAt])).toEqual([
    [at("2019-01-01"), undefined],
    [at("2021-01-01"), undefined],
    [undefined, seen],
    [undefined, now],
  ]);
  expect(after[0]).not.toHaveProperty("packageContent");
});
