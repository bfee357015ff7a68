import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { contentKeyOf } from "../../sources/package-source.ts";
import { openScriptedRegistry, PUBLISHED_AT } from "../../testing/scripted-npm.ts";
import type { ScriptedRegistry } from "../../testing/scripted-npm.ts";
import { npmSource, openMirrorRegistry, tarballUrl } from "./mirror-registry.test.support.ts";

const HOUR_MS = 60 * 60_000;
let source: ScriptedRegistry;
beforeEach(async () => {
  source = await openScriptedRegistry();
});
afterEach(() => source[Symbol.asyncDispose]());

const tarballRequests = () => source.requests.filter((line) => line.endsWith(".tgz"));

test("serves packages of a source with its own addresses, and keeps tarballs", async () => {
  source.publish("left", "1.0.0", "1.1.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  const { status, body } = await registry.packument("left");
  expect([status, body["dist-tags"]]).toEqual([200, { latest: "1.1.0" }]);
  expect(body.time["1.1.0"]).toBe(PUBLISHED_AT);
  expect(body.versions["1.1.0"]?.dist).toMatchObject({
    tarball: tarballUrl("left", "1.1.0"),
    integrity: expect.stringMatching(/^sha512-/),
  });
  expect((await registry.tarball("left", "1.1.0")).status).toBe(200);
  expect((await registry.tarball("left", "1.1.0")).status).toBe(200);
  expect(tarballRequests()).toEqual(["GET /left/-/left-1.1.0.tgz"]);
  expect(await registry.memory.lookup.tarball("left", "1.1.0")).toBeDefined();
});

test.each(["left", "@acme/left"])("shows all documents of %s", async (name) => {
  source.publish(name, "1.0.0", "1.1.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  const accept = "application/vnd.npm.install-v1+json";
  expect((await registry.packument(name, accept)).versions).toEqual(["1.0.0", "1.1.0"]);
  for (const reference of ["1.1.0", "latest"]) {
    const { text } = await registry.get(`${name}/${reference}`);
    expect(JSON.parse(text)).toMatchObject({ name, version: "1.1.0" });
  }
  const tags = await registry.get(`-/package/${name}/dist-tags`);
  expect(JSON.parse(tags.text)).toEqual({ latest: "1.1.0" });
  expect((await registry.get(`${name}/2.0.0`)).status).toBe(404);
});

test("asks the source once for the document and the tarball that many clients want", async () => {
  source.publish("once", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  const documents = await Promise.all(Array.from({ length: 50 }, () => registry.packument("once")));
  expect(documents.every(({ status }) => status === 200)).toBe(true);
  const files = await Promise.all(
    Array.from({ length: 50 }, () => registry.tarball("once", "1.0.0")),
  );
  expect(new Set(files.map(({ status, text }) => `${status} ${text.length}`)).size).toBe(1);
  expect(source.requests).toEqual(["GET /once", "GET /once/-/once-1.0.0.tgz"]);
});

test("compares an old document by its entity tag, and shows a new version", async () => {
  source.publish("moves", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.packument("moves");
  registry.pass(HOUR_MS);
  expect((await registry.packument("moves")).versions).toEqual(["1.0.0"]);
  await registry.mirror.documents.settled();
  expect(source.headers.at(-1)).toHaveProperty("if-none-match");
  source.publish("moves", "2.0.0");
  registry.pass(HOUR_MS);
  await registry.packument("moves");
  await registry.mirror.documents.settled();
  registry.pass(1_000);
  const { headers, body } = await registry.packument("moves");
  expect(body["dist-tags"]).toEqual({ latest: "2.0.0" });
  expect(headers.get("x-sealhouse-stale")).toBeNull();
});

test("asks again for a version that a fresh document does not list", async () => {
  source.publish("locked", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.packument("locked");
  source.publish("locked", "1.0.1");
  expect((await registry.tarball("locked", "1.0.1")).status).toBe(404);
  registry.pass(10 * 60_000);
  expect((await registry.tarball("locked", "1.0.1")).status).toBe(200);
});

test("asks a source once for an absent name", async () => {
  await using registry = openMirrorRegistry([
    npmSource(source, { settings: { negativeForMs: 60_000 } }),
  ]);
  const statuses = [];
  for (let time = 0; time < 3; time += 1) statuses.push((await registry.get("none")).status);
  expect([statuses, source.requests]).toEqual([[404, 404, 404], ["GET /none"]]);
  registry.pass(60_000);
  source.publish("none", "1.0.0");
  expect((await registry.get("none")).status).toBe(200);
});

test("takes a name from the first source that has it, and stays with it", async () => {
  await using second = await openScriptedRegistry();
  second.publish("shared", "1.0.0");
  await using registry = openMirrorRegistry([
    npmSource(source, { name: "first", priority: 1, settings: { negativeForMs: 0 } }),
    npmSource(second, { name: "second", priority: 2 }),
  ]);
  expect((await registry.packument("shared")).versions).toEqual(["1.0.0"]);
  source.publish("shared", "9.9.9");
  registry.pass(24 * HOUR_MS);
  await registry.packument("shared");
  await registry.mirror.documents.settled();
  expect((await registry.packument("shared")).versions).toEqual(["1.0.0"]);
  expect(await registry.parts.origins.find("npm", "shared")).toMatchObject({ source: "second" });
});

test("a failure of a source does not give its names to the next one", async () => {
  await using second = await openScriptedRegistry();
  second.publish("shared", "6.6.6");
  source.fault = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
  await using registry = openMirrorRegistry([
    npmSource(source, { name: "first", priority: 1 }),
    npmSource(second, { name: "second", priority: 2 }),
  ]);
  expect((await registry.get("shared")).status).toBe(503);
  expect(second.requests).toEqual([]);
});

test("refuses to publish a name of a source, and asks none for its own names", async () => {
  source.publish("theirs", "1.0.0");
  source.publish("unseen", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.packument("theirs");
  for (const name of ["theirs", "unseen"]) {
    const refused = await registry.publish(name, "9.0.0");
    expect([name, refused.status]).toEqual([name, 403]);
    expect(refused.text).toContain('comes from the package source \\"upstream\\"');
    expect(refused.text).toContain(`sealhouse source release npm ${name}`);
  }
  expect((await registry.publish("ours", "1.0.0")).status).toBe(200);
  expect((await registry.publish("ours", "1.0.1")).status).toBe(200);
  source.publish("ours", "99.0.0");
  source.requests.length = 0;
  registry.pass(10_000);
  expect((await registry.packument("ours")).versions).toEqual(["1.0.0", "1.0.1"]);
  expect((await registry.tarball("ours", "99.0.0")).status).toBe(404);
  expect(source.requests).toEqual([]);
});

test("publishes a reserved name that a source has, too", async () => {
  source.publish("kept", "1.0.0");
  source.publish("@acme/kept", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  for (const pattern of ["kept", "@acme/*"]) {
    await registry.parts.origins.reserve("npm", pattern, { actor: "ada" });
  }
  for (const name of ["kept", "@acme/kept"]) {
    expect((await registry.get(name)).status).toBe(404);
    expect((await registry.publish(name, "2.0.0")).status).toBe(200);
  }
  expect(source.requests).toEqual([]);
});

test("refuses a publish during a failure of the source, which may have the name", async () => {
  await using registry = openMirrorRegistry([npmSource(source)]);
  await source.stop();
  expect((await registry.publish("unknown", "1.0.0")).status).toBe(503);
});

test.each([
  ["allow", { allow: ["@acme/*", "left-*"] }, [200, 200, 404]],
  ["deny", { deny: ["right"] }, [200, 200, 404]],
  ["allow and deny", { allow: ["@acme/*", "left-*"], deny: ["left-*"] }, [200, 404, 404]],
])("asks a source only for names that %s admits", async (_, settings, expected) => {
  const names = ["@acme/one", "left-pad", "right"];
  for (const name of names) source.publish(name, "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source, { settings })]);
  const statuses = [];
  for (const name of names) statuses.push((await registry.get(name)).status);
  expect(statuses).toEqual(expected);
  expect(source.requests).toHaveLength(expected.filter((status) => status === 200).length);
});

test.each([
  ["disabled", { isEnabled: false }, {}],
  ["never asked, because the registry is offline", {}, { isOffline: true }],
])("a source that is %s is not asked", async (_, fields, options) => {
  source.publish("left", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source, fields)], options);
  expect((await registry.get("left")).status).toBe(404);
  expect((await registry.tarball("left", "1.0.0")).status).toBe(404);
  expect(source.requests).toEqual([]);
});

test.each([
  ["IndexAndCache", 1, true],
  ["CacheOnly", 1, true],
  ["ProxyOnly", 2, false],
] as const)("%s asks %i times for a tarball, and keeps it: %s", async (strategy, times, isKept) => {
  source.publish("left", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source, { strategy })]);
  for (let time = 0; time < 2; time += 1) {
    expect((await registry.tarball("left", "1.0.0")).status).toBe(200);
  }
  expect(tarballRequests()).toHaveLength(times);
  const kept = await registry.memory.lookup.tarball("left", "1.0.0");
  expect(kept !== undefined).toBe(isKept);
});

test("serves everything it has while the source is away", async () => {
  source.publish("gone", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.packument("gone");
  await registry.tarball("gone", "1.0.0");
  await source.stop();
  registry.pass(HOUR_MS);
  expect((await registry.packument("gone")).versions).toEqual(["1.0.0"]);
  expect((await registry.tarball("gone", "1.0.0")).status).toBe(200);
  expect((await registry.get("never-seen")).status).toBe(503);
});

test("serves no document that is older than StaleIfError allows", async () => {
  source.publish("gone", "1.0.0");
  const settings = { revalidateAfterMs: HOUR_MS, staleIfErrorMs: 2 * HOUR_MS };
  await using registry = openMirrorRegistry([npmSource(source, { settings })]);
  await registry.packument("gone");
  await source.stop();
  registry.pass(2 * HOUR_MS - 1);
  expect((await registry.get("gone")).status).toBe(200);
  await registry.mirror.documents.settled();
  registry.pass(HOUR_MS);
  expect((await registry.get("gone")).status).toBe(503);
});

test.each([
  ["Hide", ["1.0.0"], 200],
  ["Keep", ["1.0.0", "1.1.0"], 200],
  ["Deny", ["1.0.0"], 403],
] as const)(
  "after a removal at the source, %s lists %j, and the tarball gets %i",
  async (...row) => {
    const [onRemoved, versions, status] = row;
    source.publish("left", "1.0.0", "1.1.0");
    await using registry = openMirrorRegistry([npmSource(source, { settings: { onRemoved } })]);
    expect((await registry.tarball("left", "1.1.0")).status).toBe(200);
    source.change("left", (document) => {
      delete document.versions["1.1.0"];
      document["dist-tags"] = { latest: "1.0.0" };
    });
    registry.pass(HOUR_MS);
    await registry.packument("left");
    await registry.mirror.documents.settled();
    registry.pass(1_000);
    const shown = await registry.packument("left");
    expect([shown.versions, shown.body["dist-tags"]]).toEqual([versions, { latest: "1.0.0" }]);
    const removed = await registry.tarball("left", "1.1.0");
    expect(removed.status).toBe(status);
    if (status === 403) expect(removed.text).toContain('removed by the package source \\"upstream');
  },
);

test("a view shows the versions that the source had then", async () => {
  source.publish("older", "1.0.0", "1.1.0", "2.0.0");
  source.change("older", ({ time }) => {
    time["1.1.0"] = "2021-05-05T00:00:00.000Z";
    time["2.0.0"] = "2023-05-05T00:00:00.000Z";
  });
  await using registry = openMirrorRegistry([npmSource(source)]);
  const { past } = registry.mirrored;
  const at = (time: string) => past.find("older", new Date(time));
  expect([...((await at("2022-01-01"))?.versions.keys() ?? [])]).toEqual(["1.0.0", "1.1.0"]);
  expect((await at("2022-01-01"))?.changedAt).toEqual(new Date("2021-05-05"));
  expect(await at("2019-01-01")).toBeUndefined();
  const version = (text: string, time: string) => past.version("older", text, new Date(time));
  expect(await version("1.1.0", "2022-01-01")).toMatchObject({ integrity: /^sha512-/ });
  expect(await version("2.0.0", "2022-01-01")).toBeUndefined();
  expect(await version("3.0.0", "2025-01-01")).toBeUndefined();
  expect(await past.find("unknown", new Date())).toBeUndefined();
  expect(await past.version("unknown", "1.0.0", new Date())).toBeUndefined();
  expect(await past.beginning(new Date())).toEqual(new Date(0));
});

test("views of a registry without sources begin with its own history", async () => {
  const first = new Date("2024-01-01");
  await using registry = openMirrorRegistry([], { past: { beginning: async () => first } });
  expect(await registry.mirrored.past.beginning(new Date())).toEqual(first);
});

test.each([
  ["larger than the registry takes", { tarballBytesMax: 10 }, {}],
  ["larger than the source may send", {}, { maxFileBytes: 10 }],
])("refuses a tarball %s", async (_, options, settings) => {
  source.publish("large", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source, { settings })], options);
  expect((await registry.get("large")).status).toBe(200);
  expect((await registry.tarball("large", "1.0.0")).status).not.toBe(200);
  expect(await registry.memory.lookup.tarball("large", "1.0.0")).toBeUndefined();
});

test("sends a tarball that this registry would refuse, and does not keep it", async () => {
  const bytes = Buffer.from("not a tarball");
  source.publish("odd", "1.0.0");
  source.change("odd", ({ versions }) => {
    const digest = createHash("sha512").update(bytes).digest("base64");
    Object.assign(versions["1.0.0"]?.dist ?? {}, { integrity: `sha512-${digest}` });
    delete versions["1.0.0"]?.dist["shasum"];
  });
  source.fault = (request, response) => {
    if (request.url?.endsWith(".tgz") !== true) return false;
    response.writeHead(200, { "content-length": bytes.length }).end(bytes);
    return true;
  };
  await using registry = openMirrorRegistry([npmSource(source)]);
  expect(await registry.tarball("odd", "1.0.0")).toMatchObject({
    status: 200,
    text: bytes.toString(),
  });
  expect(await registry.memory.lookup.tarball("odd", "1.0.0")).toBeUndefined();
  expect(registry.memory.inspect.staged()).toBe(0);
});

test("parses a cold packument once, and keeps the bytes that the source sent", async () => {
  source.publish("large", ...Array.from({ length: 400 }, (_, patch) => `1.0.${patch}`));
  let sent: Buffer | undefined;
  source.change("large", (packument) => {
    // A byte order mark and white space, which a written document would not have.
    const text = `\uFEFF ${JSON.stringify(packument)} `;
    sent = gzipSync(text);
  });
  source.fault = (request, response) => {
    if (request.url !== "/large") return false;
    response.writeHead(200, { "content-type": "application/json", etag: '"1"' }).end(sent);
    return true;
  };
  await using registry = openMirrorRegistry([npmSource(source)]);
  const parse = vi.spyOn(JSON, "parse");
  const { status, text } = await registry.get("large", {
    accept: "application/vnd.npm.install-v1+json",
  });
  const parsed = parse.mock.calls.filter(([json]) => json.length > 50_000);
  parse.mockRestore();
  expect([status, parsed.length]).toEqual([200, 1]);
  expect(Object.keys((JSON.parse(text) as { versions: object }).versions)).toHaveLength(400);
  const kept = await registry.parts.documents.bytes({
    protocol: "npm",
    source: contentKeyOf(npmSource(source)),
    kind: "packument",
    name: "large",
    part: "",
  });
  expect(Buffer.from(kept ?? []).equals(sent ?? Buffer.alloc(0))).toBe(true);
  expect((await registry.tarball("large", "1.0.7")).status).toBe(200);
});

test("credentials of a source go to its origin, and not with a tarball elsewhere", async () => {
  await using files = await openScriptedRegistry();
  files.publish("apart", "1.0.0");
  source.publish("apart", "1.0.0");
  source.change("apart", ({ versions }) => {
    const [version] = Object.values(versions);
    if (version) version.dist["tarball"] = new URL("/apart/-/apart-1.0.0.tgz", files.url).href;
  });
  const credentials = { type: "basic", username: "ada", password: "secret" } as const;
  const sources = [npmSource(source, { credentials })];
  await using registry = openMirrorRegistry(sources);
  expect((await registry.get("apart")).status).toBe(200);
  const basic = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
  expect(source.headers.map(({ authorization }) => authorization)).toEqual([basic]);
  expect((await registry.tarball("apart", "1.0.0")).status).toBe(200);
  expect(files.headers.map(({ authorization }) => authorization)).toEqual([undefined]);
});
