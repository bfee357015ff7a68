import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { expect, test } from "vitest";
import type { NpmClientOptions } from "./client.ts";
import { NpmClientError } from "./client-error.ts";
import { openNpmClient } from "./open-client.ts";

const REGISTRY = new URL("https://registry.example/npm");
const PACKUMENT = "https://registry.example/npm/demo";
const TARBALL = "https://registry.example/npm/demo/-/demo-1.0.0.tgz";
const BYTES = Buffer.from("the tarball");
const DIST = {
  tarball: new URL(TARBALL),
  integrity: `sha512-${createHash("sha512").update(BYTES).digest("base64")}`,
  shasum: createHash("sha1").update(BYTES).digest("hex"),
};

type Seen = { readonly url: string; readonly headers: Headers; readonly method: string };
type Answering = (request: Seen, count: number) => Response | Promise<Response>;

/** A registry that answers as a table says; everything else is 404. */
function openHostile(
  table: Readonly<Record<string, Answering>>,
  options: Partial<NpmClientOptions> = {},
) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const fetch: Fetch = async ({ href: url }, init) => {
    const request = { url, headers: new Headers(init.headers), method: init.method ?? "GET" };
    const count = seen.filter((earlier) => earlier.url === url).length;
    seen.push(request);
    if (init.body instanceof ReadableStream) await new Response(init.body).arrayBuffer();
    init.signal?.throwIfAborted();
    return (await table[url]?.(request, count)) ?? new Response("no", { status: 404 });
  };
  const client = openNpmClient({
    registry: REGISTRY,
    fetch,
    wait: async (ms) => void waits.push(ms),
    credentials: { type: "bearer", token: "secret" },
    ...options,
  });
  return { client, seen, waits };
}

function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answering {
  return () => new Response(JSON.stringify(value), { status, headers });
}

function redirect(to: string, status = 302): Answering {
  return () => new Response(null, { status, headers: { location: to } });
}

async function read(body: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body ?? [])).toString();
}

async function errorOf(promise: Promise<unknown>): Promise<NpmClientError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof NpmClientError) return error;
  throw new Error("It did not fail as it should have", { cause: error });
}

test("sends the token only to the registry's own origin, including after a redirect", async () => {
  const elsewhere = "https://files.example/demo.tgz";
  const port = "https://registry.example:8443/demo.tgz";
  const { client, seen } = openHostile({
    [TARBALL]: redirect(elsewhere),
    [elsewhere]: redirect(port),
    [port]: () => new Response(BYTES),
  });
  const download = await client.tarball(DIST);
  expect(await read(download?.body)).toBe("the tarball");
  expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual([
    "Bearer secret",
    null,
    null,
  ]);
});

test("a packument that points elsewhere gets its tarball without the token", async () => {
  const tarball = new URL("https://files.example/demo.tgz");
  const { client, seen } = openHostile({ [tarball.href]: () => new Response(BYTES) });
  await read((await client.tarball({ ...DIST, tarball }))?.body);
  expect(seen[0]?.headers.has("authorization")).toBe(false);
});

test.each([
  ["http://registry.example/demo.tgz", "is not https"],
  ["file:///etc/passwd", "is not https"],
])("asks nothing of %s when the registry is https", async (href, words) => {
  const { client, seen } = openHostile({ [TARBALL]: redirect(href) });
  const error = await errorOf(client.tarball(DIST));
  expect(error).toMatchObject({ code: "refused-address" });
  expect(error.message).toContain(words);
  expect(seen).toHaveLength(1);
});

test.each<[string, Buffer | string, object, string]>([
  ["other bytes", "the Tarball", {}, "does not match the integrity in its packument (sha512)"],
  [
    "another shasum",
    BYTES,
    { shasum: "00" },
    "does not match the integrity in its packument (sha1)",
  ],
  [
    "a weak hash that fits beside a strong one that does not",
    BYTES,
    { integrity: `sha512-AAAA sha1-${Buffer.from(DIST.shasum, "hex").toString("base64")}` },
    "(sha512)",
  ],
])("a tarball with %s fails at its end", async (_, bytes, dist, words) => {
  const { client } = openHostile({ [TARBALL]: () => new Response(bytes) });
  const download = await client.tarball({ ...DIST, ...dist });
  const error = await errorOf(read(download?.body));
  expect(error).toMatchObject({ code: "integrity" });
  expect(error.message).toContain(words);
});

test("any of several hashes of the strongest kind will do", async () => {
  const { client } = openHostile({ [TARBALL]: () => new Response(BYTES) });
  const integrity = `sha1-AAAA sha512-AAAA ${DIST.integrity}?option md5-AAAA`;
  const download = await client.tarball({ ...DIST, integrity });
  expect(await read(download?.body)).toBe("the tarball");
});

test("a tarball that nothing can be compared with is not taken", async () => {
  const { client } = openHostile({ [TARBALL]: () => new Response(BYTES) });
  for (const integrity of [undefined, "md5-AAAA", ""]) {
    const dist = { tarball: DIST.tarball, ...(integrity !== undefined && { integrity }) };
    expect(await errorOf(client.tarball(dist))).toMatchObject({ code: "integrity" });
  }
});

test("a tarball has no more bytes than allowed, and as many as it promised", async () => {
  const sized = (length: number) => () =>
    new Response(BYTES, { headers: { "content-length": String(length) } });
  const declared = openHostile({ [TARBALL]: sized(100) });
  expect(await errorOf(declared.client.tarball(DIST, { maxBytes: 99 }))).toMatchObject({
    code: "too-large",
  });
  const cut = await declared.client.tarball(DIST);
  expect(await errorOf(read(cut?.body))).toMatchObject({ code: "malformed" });
  const silent = openHostile({ [TARBALL]: () => new Response(BYTES) });
  const long = await silent.client.tarball(DIST, { maxBytes: BYTES.length - 1 });
  expect(await errorOf(read(long?.body))).toMatchObject({ code: "too-large" });
});

test.each<[string, unknown]>([
  ["of another package", { name: "other", versions: {} }],
  ["a list", []],
  ["a text", "demo"],
  ["with versions of a wrong kind", { name: "demo", versions: [] }],
])("refuses a packument that is %s", async (_, document) => {
  const { client } = openHostile({ [PACKUMENT]: json(document) });
  const error = await errorOf(client.packument("demo"));
  expect(error).toMatchObject({ code: "malformed", url: PACKUMENT });
});

test("what a packument says of a wrong kind is left out", async () => {
  const document = {
    name: "demo",
    _rev: 7,
    "dist-tags": { latest: "1.0.0", next: 2 },
    time: { modified: "yesterday", created: 1, "1.0.0": "2020-01-02T03:04:05Z", "2.0.0": "soon" },
    maintainers: ["alice", { name: "bob", email: 1 }, { email: "x" }],
    readme: 5,
    versions: {
      "1.0.0": {
        deprecated: true,
        dist: { tarball: "file:///x", shasum: 1, signatures: [{ keyid: "k" }, { sig: "s" }, 1] },
      },
      "2.0.0": "nothing",
      "3.0.0": { dist: { tarball: "https://me:secret@files.example/x" } },
    },
  };
  const text = JSON.stringify(document).replace('"2.0.0":"nothing"', '"__proto__":{"dist":{}}');
  const { client } = openHostile({ [PACKUMENT]: () => new Response(text) });
  const foundPackument = await client.packument("demo");
  if (foundPackument?.status !== "found") throw new Error("there is no packument");
  const { packument } = foundPackument;
  expect([...packument.distTags]).toEqual([["latest", "1.0.0"]]);
  expect([...packument.times]).toEqual([["1.0.0", new Date("2020-01-02T03:04:05Z")]]);
  expect(packument.maintainers).toEqual([{ name: "bob" }]);
  expect(packument).not.toHaveProperty("readme");
  expect(packument).not.toHaveProperty("modifiedAt");
  expect(packument.versions.map(({ version, dist }) => [version, dist])).toEqual([
    ["1.0.0", { signatures: [], hasAttestations: false }],
    ["__proto__", { signatures: [], hasAttestations: false }],
    ["3.0.0", { signatures: [], hasAttestations: false }],
  ]);
  expect(Object.prototype).not.toHaveProperty("dist");
});

test("limits documents, including their unpacked size", async () => {
  const bomb = gzipSync(JSON.stringify({ name: "demo", versions: {}, x: "x".repeat(100_000) }));
  const { client } = openHostile(
    { [PACKUMENT]: () => new Response(bomb) },
    { documentBytesMax: 10_000 },
  );
  expect(bomb.length).toBeLessThan(10_000);
  expect(await errorOf(client.packument("demo"))).toMatchObject({ code: "too-large" });
  const values = `{"name":"demo","versions":[${"{},".repeat(2_000_001)}{}]}`;
  const many = openHostile({ [PACKUMENT]: () => new Response(values) });
  expect(await errorOf(many.client.packument("demo"))).toMatchObject({ code: "malformed" });
});

test("refuses a 304 to an unconditional request", async () => {
  const { client } = openHostile({ [PACKUMENT]: () => new Response(null, { status: 304 }) });
  expect(await errorOf(client.packument("demo"))).toMatchObject({ code: "status", status: 304 });
  expect(await client.packument("demo", { etag: '"x"' })).toEqual({ status: "unchanged" });
});

test("tries reads again, as long as the registry asks for, and gives up", async () => {
  const busy = (after: string) =>
    new Response("", { status: 429, headers: { "retry-after": after } });
  const once = openHostile({
    [PACKUMENT]: (_, count) =>
      count === 0 ? busy("7") : new Response('{"name":"demo","versions":{}}'),
  });
  expect(await once.client.packument("demo")).toMatchObject({ status: "found" });
  expect(once.waits).toEqual([7_000]);
  const long = openHostile({ [PACKUMENT]: () => busy("3600") });
  const expected = { code: "unreachable", status: 429, retryAfterMs: 3_600_000 };
  expect(await errorOf(long.client.packument("demo"))).toMatchObject(expected);
  expect(long.waits).toEqual([]);
  const ever = openHostile({ [PACKUMENT]: json({}, 503) });
  expect(await errorOf(ever.client.packument("demo"))).toMatchObject({ code: "unreachable" });
  expect(ever.seen).toHaveLength(4);
});

test("a tag is set again after a failure that passes; a publish is sent once", async () => {
  const tag = "https://registry.example/npm/-/package/demo/dist-tags/next";
  const { client, seen } = openHostile({
    [tag]: (_, count) => new Response("{}", { status: count < 2 ? 503 : 200 }),
    [PACKUMENT]: json({ error: "Try later" }, 503, { "retry-after": "2" }),
  });
  const release = { name: "demo", version: "1.0.0" };
  expect(await client.setDistTag({ ...release, tag: "next" })).toEqual({ status: "changed" });
  expect(seen).toHaveLength(3);
  const tarball = {
    ...DIST,
    size: BYTES.length,
    read: async function* () {
      yield BYTES;
    },
  };
  const version = { ...release, manifest: {}, tags: [], tarball };
  const failed = { status: "failed", reason: "Try later", retryAfterMs: 2_000 };
  expect(await client.publish(version)).toEqual(failed);
  expect(seen).toHaveLength(4);
});

test.each<[number, unknown, object]>([
  [401, { error: "Who are you?" }, { status: "unauthorized", reason: "Who are you?" }],
  [403, { error: "No" }, { status: "refused", httpStatus: 403, reason: "No" }],
  [403, { error: "cannot publish over the previously published versions" }, { status: "exists" }],
  [409, { error: "this package is already present" }, { status: "exists" }],
  [413, "<html>", { status: "refused", reason: "was answered 413" }],
  [422, { error: 5, message: "Because" }, { status: "refused", reason: "Because" }],
])("reports an upload answered with %i and %j as such", async (status, body, outcome) => {
  const { client } = openHostile({ [PACKUMENT]: json(body, status) });
  const tarball = {
    ...DIST,
    size: BYTES.length,
    read: async function* () {
      yield BYTES;
    },
  };
  const version = { name: "demo", version: "1.0.0", manifest: {}, tags: [], tarball };
  expect(await client.publish(version)).toMatchObject(outcome);
});

test("reads a tarball no faster than it sends it", async () => {
  const ahead: number[] = [];
  let readCount = 0;
  const fetch: Fetch = async (_url, { body }) => {
    let sent = 0;
    if (!(body instanceof ReadableStream)) throw new Error("there is no body");
    for await (const _ of body) ahead.push(readCount - (sent += 1));
    return new Response("{}", { status: 201 });
  };
  const client = openNpmClient({ registry: REGISTRY, fetch });
  const tarball = {
    ...DIST,
    size: 3_000,
    async *read() {
      for (; readCount < 1_000; readCount++) yield Buffer.alloc(3);
    },
  };
  const version = { name: "demo", version: "1.0.0", manifest: {}, tags: [], tarball };
  expect(await client.publish(version)).toEqual({ status: "published" });
  expect(ahead).toHaveLength(1_002);
  expect(Math.max(...ahead)).toBeLessThan(3);
});

test("a search that gives the same page again and again ends", async () => {
  const page = { objects: [{ package: { name: "demo" } }, { package: { name: "../x" } }, 5] };
  const search = "https://registry.example/npm/-/v1/search?text=x&size=250&from=";
  const { client, seen } = openHostile({ [`${search}0`]: json(page), [`${search}2`]: json(page) });
  const packages = await Array.fromAsync(client.searchAll("x"));
  expect(packages.map(({ name }) => name)).toEqual(["demo", "../x"]);
  expect(seen).toHaveLength(2);
});

test("requests pages of tokens from the registry itself, whatever it answers", async () => {
  const tokens = "https://registry.example/npm/-/npm/v1/tokens?page=";
  const objects = [{ key: "k", name: "n", readonly: true, token: "npm_secret" }];
  const { client, seen } = openHostile({
    [`${tokens}0&perPage=100`]: json({ objects, urls: { next: "https://evil.example/tokens" } }),
    [`${tokens}1&perPage=100`]: json({ objects: [], urls: {} }),
  });
  expect(await Array.fromAsync(client.tokens())).toEqual([
    { key: "k", name: "n", isReadOnly: true, createdAt: undefined },
  ]);
  expect(seen.every(({ url }) => url.startsWith(tokens))).toBe(true);
});

test("ignores advisories on packages that were not requested", async () => {
  const bulk = "https://registry.example/npm/-/npm/v1/security/advisories/bulk";
  const { client } = openHostile({
    [bulk]: json({ demo: [{ id: {}, title: 5 }, 1], other: [{}] }),
  });
  const remoteAdvisories = await client.advisories(new Map([["demo", ["1.0.0"]]]));
  expect([...remoteAdvisories]).toEqual([
    ["demo", [{ id: undefined, title: "", url: "", severity: "", versions: "", cwe: [] }]],
  ]);
});

test("aborts a stalled download, and ends at once when the caller cancels", async () => {
  const endless = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  const { client } = openHostile({ [TARBALL]: endless }, { idleTimeoutMs: 20 });
  const download = await client.tarball(DIST);
  await expect(read(download?.body)).rejects.toThrow("too little came within 20 ms");
  const slow = openHostile({ [TARBALL]: endless });
  const controller = new AbortController();
  const other = await slow.client.tarball(DIST, { signal: controller.signal });
  const reading = read(other?.body);
  controller.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
});

test("gives up a document that drips", async () => {
  const drip = () => {
    const timer = async function* () {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        yield Buffer.from(" ");
      }
    };
    return new Response(ReadableStream.from(timer()));
  };
  const { client } = openHostile({ [PACKUMENT]: drip }, { documentTimeoutMs: 30 });
  const error = await errorOf(client.packument("demo"));
  expect(error.message).toContain("no answer within 30 ms");
});

test("requires an absolute address of a registry", () => {
  const open = (registry: string) => () => openNpmClient({ registry: new URL(registry), fetch });
  expect(open("https://me:secret@registry.example")).toThrow(/credentials/);
  expect(open("file:///registry")).toThrow(/not a protocol/);
});
