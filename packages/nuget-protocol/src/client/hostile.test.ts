import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { NuGetClientOptions } from "./client.ts";
import { NuGetClientError } from "./client-error.ts";
import type { Fetch } from "./exchange.ts";
import { openNuGetClient } from "./open-client.ts";

const SOURCE = new URL("https://feed.example/v3/index.json");
const RESOURCES = [
  ["PackageBaseAddress/3.0.0", "https://feed.example/v3/package/"],
  ["RegistrationsBaseUrl/3.6.0", "https://feed.example/v3/registration"],
  ["SearchQueryService", "https://feed.example/v3/search"],
  ["PackagePublish/2.0.0", "https://feed.example/push"],
  ["Catalog/3.0.0", "https://feed.example/v3/catalog.json"],
] as const;
const INDEX = JSON.stringify({
  version: "3.0.0",
  resources: RESOURCES.map(([type, url]) => ({ "@type": type, "@id": url })),
});

type Seen = { readonly url: string; readonly headers: Headers; readonly method: string };
type Answering = (request: Seen, count: number) => Response | Promise<Response>;

/** A server that answers as a table says; everything else is 404. */
function openHostile(
  table: Readonly<Record<string, Answering>>,
  options: Partial<NuGetClientOptions> = {},
) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const answer: Fetch = async ({ href: url }, init) => {
    const request = { url, headers: new Headers(init.headers), method: init.method ?? "GET" };
    const count = seen.filter((one) => one.url === url).length;
    seen.push(request);
    if (init.body instanceof ReadableStream) await new Response(init.body).arrayBuffer();
    init.signal?.throwIfAborted();
    const known = table[url];
    if (known) return known(request, count);
    return url === SOURCE.href ? new Response(INDEX) : new Response("no", { status: 404 });
  };
  const client = openNuGetClient({
    source: SOURCE,
    fetch: answer,
    wait: async (ms) => void waits.push(ms),
    credentials: { type: "bearer", token: "secret" },
    apiKey: "key",
    ...options,
  });
  const asked = (url: string) => seen.filter((one) => one.url === url);
  return { client, seen, asked, waits };
}

const VERSIONS = "https://feed.example/v3/package/acme/index.json";
const NUPKG = "https://feed.example/v3/package/acme/1.0.0/acme.1.0.0.nupkg";
const REGISTRATION = "https://feed.example/v3/registration/acme/index.json";
const ACME = { id: "acme", version: "1.0.0" };

function json(value: unknown): Answering {
  return () => new Response(JSON.stringify(value));
}

function redirect(to: string, status = 302): Answering {
  return () => new Response(null, { status, headers: { location: to } });
}

test("reads the service index once, and again after half an hour", async () => {
  let now = Date.parse("2026-01-02T03:04:05Z");
  const { client, asked } = openHostile({}, { now: () => new Date(now) });
  await client.versions("acme");
  await client.versions("other");
  expect(asked(SOURCE.href)).toHaveLength(1);
  now += 31 * 60_000;
  await client.versions("acme");
  expect(asked(SOURCE.href)).toHaveLength(2);
});

test("takes the resource that clients like best, from a list of types too", async () => {
  const resources = [
    { "@id": "https://feed.example/old", "@type": "RegistrationsBaseUrl" },
    { "@id": "/relative", "@type": "RegistrationsBaseUrl/3.6.0" },
    { "@id": "https://feed.example/new", "@type": ["Other", "RegistrationsBaseUrl/3.4.0"] },
    { "@type": "PackagePublish/2.0.0" },
  ];
  const { client } = openHostile({ [SOURCE.href]: json({ version: "3.1.0-beta", resources }) });
  expect(await client.resource("registration")).toBe("https://feed.example/new");
  expect(await client.resource("push")).toBeUndefined();
  await expect(client.push({ read: () => bytes("x") })).rejects.toMatchObject({
    code: "unsupported",
    message: "https://feed.example/v3/index.json: the feed does not offer PackagePublish/2.0.0",
  });
});

test.each<[string, unknown, string]>([
  ["no JSON", undefined, "the answer is no JSON"],
  ["a list", [], "the document is not an object"],
  ["version 2", { version: "2.0.0", resources: [] }, '"version" is not a version 3'],
  ["no version", { resources: [] }, '"version" is not a text'],
  ["resources of a wrong kind", { version: "3.0.0", resources: {} }, '"resources" is not an array'],
  [
    "a type of a wrong kind",
    { version: "3.0.0", resources: [{ "@id": "https://a.example", "@type": 7 }] },
    '"resources[0].@type" is not a text',
  ],
])("a service index that is %s is refused with its field", async (_, index, words) => {
  const table = { [SOURCE.href]: index === undefined ? () => new Response("<html>") : json(index) };
  const { client } = openHostile(table);
  const error: unknown = await client.versions("acme").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NuGetClientError);
  expect(error).toMatchObject({ code: "malformed", url: SOURCE.href });
  expect(String(error)).toContain(words);
});

test.each<[unknown, string]>([
  [{ versions: ["1.0.0", "../../etc"] }, '"versions[1]" is not a version'],
  [{ versions: [7] }, '"versions[0]" is not a text'],
  [{ versions: "1.0.0" }, '"versions" is not an array'],
])("versions %j are refused", async (document, words) => {
  const { client } = openHostile({ [VERSIONS]: json(document) });
  await expect(client.versions("acme")).rejects.toThrow(words);
});

test.each<[unknown, string]>([
  [{ items: [{ items: [{}] }] }, '"items[0].items[0].catalogEntry" is not an object'],
  [{ items: [{ "@id": "file:///etc/passwd" }] }, '"items[0].@id" is not an absolute address'],
  [{ items: [{ "@id": "https://feed.example/gone.json" }] }, "answered 404"],
  [{ items: [{ items: [{ catalogEntry: { version: "x" } }] }] }, "is not a version"],
  [
    { items: [{ items: [{ catalogEntry: { id: "a", version: "1.0.0", published: "soon" } }] }] },
    "is not a time",
  ],
])("registration %j is refused", async (document, words) => {
  const { client } = openHostile({ [REGISTRATION]: json(document) });
  await expect(client.registration("acme")).rejects.toThrow(words);
});

test("reads what other servers write differently", async () => {
  const catalogEntry = {
    "@id": "not an address",
    id: "Acme",
    version: "1.0.0+x",
    published: "1900-01-01T00:00:00+00:00",
    listed: false,
    authors: ["one", "two"],
    tags: "a b",
    description: null,
    deprecation: { reasons: ["legacy", "Unheard"], alternatePackage: { id: "Other", range: "" } },
    vulnerabilities: [{ advisoryUrl: "https://a.example/1", severity: "3" }],
  };
  const { client } = openHostile({
    [REGISTRATION]: json({ items: [{ items: [{ catalogEntry }] }] }),
  });
  expect(await client.registration("acme")).toEqual([
    {
      id: "Acme",
      version: "1.0.0+x",
      listed: false,
      deprecation: {
        reasons: ["Legacy", "Other"],
        alternatePackage: { id: "Other", range: "*" },
      },
      vulnerabilities: [{ url: "https://a.example/1", severity: 3 }],
      authors: "one, two",
      description: "",
      tags: ["a b"],
    },
  ]);
});

test("credentials go to their own origin only, also after a redirect", async () => {
  const mirror = "https://mirror.example/acme.nupkg";
  const back = "https://feed.example/blob";
  const { client, asked } = openHostile({
    [NUPKG]: redirect(mirror),
    [mirror]: redirect(back, 307),
    [back]: () => new Response("bytes"),
  });
  const download = await client.package(ACME);
  expect(Buffer.concat(await Array.fromAsync(download?.body ?? [])).toString()).toBe("bytes");
  const authorizations = [NUPKG, mirror, back].map((url) =>
    asked(url)[0]?.headers.get("authorization"),
  );
  expect(authorizations).toEqual(["Bearer secret", null, "Bearer secret"]);
});

test.each([
  ["another port", "https://feed.example:8443/x"],
  ["a sub-domain", "https://cdn.feed.example/x"],
])("%s is another origin", async (_, other) => {
  const { client, asked } = openHostile({ [NUPKG]: redirect(other) });
  expect(await client.package(ACME)).toBeUndefined();
  expect(asked(other)[0]?.headers.get("authorization")).toBeNull();
});

test("the key goes to further origins only when they are named", async () => {
  const push = "https://push.example/api/";
  const resources = [{ "@id": push, "@type": "PackagePublish/2.0.0" }];
  const table = {
    [SOURCE.href]: json({ version: "3.0.0", resources }),
    [push]: () => new Response(null, { status: 201 }),
  };
  const strict = openHostile(table);
  expect(await strict.client.push({ read: () => bytes("x") })).toEqual({ status: "pushed" });
  expect(strict.asked(push)[0]?.headers.get("x-nuget-apikey")).toBeNull();
  const open = openHostile(table, { alsoTrusted: ["https://push.example"] });
  await open.client.push({ read: () => bytes("x") });
  expect(open.asked(push)[0]?.headers.get("x-nuget-apikey")).toBe("key");
});

test.each([
  ["plain http", "http://feed.example/x", "is not https"],
  ["a file", "file:///etc/passwd", "is not https"],
  ["an address with credentials", "https://u:p@feed.example/x", "credentials in it"],
])("is not led to %s", async (_, to, words) => {
  const { client, asked } = openHostile({ [NUPKG]: redirect(to) });
  await expect(client.package(ACME)).rejects.toMatchObject({ code: "refused-address" });
  await expect(client.package(ACME)).rejects.toThrow(words);
  expect(asked(to)).toEqual([]);
});

test("gives up after five redirects", async () => {
  const { client, asked } = openHostile({ [NUPKG]: redirect(NUPKG) });
  await expect(client.package(ACME)).rejects.toThrow("more than 5 redirects");
  expect(asked(NUPKG)).toHaveLength(6);
});

test("an upload is repeated for 307, and not turned into something else for 302", async () => {
  const push = "https://feed.example/push/";
  const moved = "https://feed.example/moved/";
  const created: Answering = () => new Response(null, { status: 201 });
  const { client } = openHostile({ [push]: redirect(moved, 307), [moved]: created });
  expect(await client.push({ read: () => bytes("x") })).toEqual({ status: "pushed" });
  const other = openHostile({ [push]: redirect(moved, 302), [moved]: created });
  expect(await other.client.push({ read: () => bytes("x") })).toMatchObject({ status: "refused" });
});

test("tries reads again, as long as the server asks for", async () => {
  const statuses = [503, 429, 200];
  const { client, waits } = openHostile({
    [VERSIONS]: (_, count) =>
      new Response('{"versions":[]}', {
        status: statuses[count] ?? 500,
        ...(count === 1 && { headers: { "retry-after": "7" } }),
      }),
  });
  expect(await client.versions("acme")).toEqual([]);
  expect(waits).toEqual([500, 7_000]);
});

test("gives up after four attempts, or at once when it should wait too long", async () => {
  const { client, waits } = openHostile({ [VERSIONS]: () => new Response("", { status: 500 }) });
  await expect(client.versions("acme")).rejects.toMatchObject({ code: "unreachable", status: 500 });
  expect(waits).toEqual([500, 1_000, 2_000]);
  const later = openHostile({
    [VERSIONS]: () => new Response("", { status: 429, headers: { "retry-after": "3600" } }),
  });
  await expect(later.client.versions("acme")).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  expect(later.waits).toEqual([]);
});

test("network failures are tried again, mistakes are not", async () => {
  const cut = openHostile({
    [VERSIONS]: (_, count) => {
      if (count === 0) throw new TypeError("fetch failed", { cause: new Error("reset") });
      return new Response('{"versions":["1.0.0"]}');
    },
  });
  expect(await cut.client.versions("acme")).toEqual(["1.0.0"]);
  const wrong = openHostile({
    [VERSIONS]: () => {
      throw new RangeError("not my kind of address");
    },
  });
  await expect(wrong.client.versions("acme")).rejects.toThrow("not my kind of address");
  expect(wrong.waits).toEqual([]);
});

test("a push is sent once, whatever happens to it", async () => {
  const push = "https://feed.example/push/";
  const { client, asked } = openHostile({
    [push]: () => new Response("", { status: 503, headers: { "retry-after": "5" } }),
  });
  expect(await client.push({ read: () => bytes("x") })).toMatchObject({
    status: "failed",
    retryAfterMs: 5_000,
  });
  expect(asked(push)).toHaveLength(1);
});

test("documents are bounded, also when they unpack to more", async () => {
  const long = JSON.stringify({ versions: [], filler: "x".repeat(20_000) });
  const limit = { documentBytesMax: 10_000 };
  const plain = openHostile({ [VERSIONS]: () => new Response(long) }, limit);
  await expect(plain.client.versions("acme")).rejects.toMatchObject({ code: "too-large" });
  const packed = openHostile({ [VERSIONS]: () => new Response(gzipSync(long)) }, limit);
  await expect(packed.client.versions("acme")).rejects.toMatchObject({ code: "too-large" });
  const damaged = openHostile({
    [VERSIONS]: () => new Response(gzipSync(long).subarray(0, 50)),
  });
  await expect(damaged.client.versions("acme")).rejects.toMatchObject({ code: "malformed" });
});

test("reads gzip that nobody unpacked", async () => {
  const { client } = openHostile({
    [VERSIONS]: () => new Response(gzipSync('{"versions":["1.0.0"]}')),
  });
  expect(await client.versions("acme")).toEqual(["1.0.0"]);
});

test("a package is no larger than allowed, and no other size than promised", async () => {
  const { client } = openHostile({ [NUPKG]: () => new Response("12345") });
  const limited = await client.package(ACME, { maxBytes: 4 });
  await expect(Array.fromAsync(limited?.body ?? [])).rejects.toMatchObject({ code: "too-large" });
  const sized = openHostile({
    [NUPKG]: () => new Response("12345", { headers: { "content-length": "9" } }),
  });
  await expect(sized.client.package(ACME, { maxBytes: 8 })).rejects.toMatchObject({
    code: "too-large",
  });
  const short = await sized.client.package(ACME);
  await expect(Array.fromAsync(short?.body ?? [])).rejects.toThrow("gave 5 bytes");
});

test("a download that stands still is given up", async () => {
  const stuck = () =>
    new Response(new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) }));
  const { client } = openHostile({ [NUPKG]: stuck }, { idleTimeoutMs: 20 });
  const download = await client.package(ACME);
  await expect(Array.fromAsync(download?.body ?? [])).rejects.toThrow("nothing came for 20 ms");
});

test("a document that drips is given up", async () => {
  const drip = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          controller.enqueue(Buffer.from(" "));
        },
      }),
    );
  const { client } = openHostile({ [VERSIONS]: drip }, { documentTimeoutMs: 30 });
  await expect(client.versions("acme")).rejects.toThrow("no answer within 30 ms");
});

test("ends with the caller's signal, without further attempts", async () => {
  const stop = new AbortController();
  const { client, waits } = openHostile({
    [VERSIONS]: () => {
      stop.abort(new Error("enough"));
      return new Response("", { status: 503 });
    },
  });
  await expect(client.versions("acme", { signal: stop.signal })).rejects.toThrow("enough");
  expect(waits).toEqual([]);
});

test.each([401, 403])(
  "a read that is answered %i says that credentials are wrong",
  async (status) => {
    const { client } = openHostile({ [VERSIONS]: () => new Response("", { status }) });
    await expect(client.versions("acme")).rejects.toMatchObject({ code: "unauthorized", status });
  },
);

test("messages tell no query, where secrets are", async () => {
  const signed = "https://blobs.example/x?sig=hidden";
  const { client } = openHostile({
    [NUPKG]: redirect(signed),
    [signed]: () => new Response("12345", { headers: { "content-length": "9" } }),
  });
  const error: unknown = await client
    .package(ACME, { maxBytes: 1 })
    .catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("https://blobs.example/x: has more than 1 bytes");
  expect(String(error)).not.toContain("hidden");
});

test("a catalog is read in the order of its commits, to the last digit", async () => {
  const item = (at: string, version: string, type = "nuget:PackageDetails") => ({
    "@id": `https://feed.example/v3/data/${version}.json`,
    "@type": type,
    commitTimeStamp: at,
    "nuget:id": "Acme",
    "nuget:version": version,
  });
  const page = "https://feed.example/v3/page0.json";
  const { client } = openHostile({
    "https://feed.example/v3/catalog.json": json({
      items: [{ "@id": page, commitTimeStamp: "2026-01-02T03:04:05.1234569Z" }],
    }),
    [page]: json({
      items: [
        item("2026-01-02T03:04:05.1234569Z", "3.0.0"),
        item("2026-01-02T03:04:05.1234567Z", "1.0.0"),
        item("2026-01-02T03:04:05.1234568Z", "2.0.0"),
        item("2026-01-02T03:04:05.1234568Z", "2.0.1", "nuget:Unheard"),
      ],
    }),
  });
  const all = await Array.fromAsync(client.catalog());
  expect(all.map(({ version }) => version)).toEqual(["1.0.0", "2.0.0", "3.0.0"]);
  const after = all[0]?.commit;
  const rest = await Array.fromAsync(client.catalog({ after }));
  expect(rest.map(({ version }) => version)).toEqual(["2.0.0", "3.0.0"]);
  await expect(Array.fromAsync(client.catalog({ after: "later" }))).rejects.toThrow("no cursor");
});

test("a source must be an address of its own", () => {
  const open = (source: string) => () => openNuGetClient({ source: new URL(source), fetch });
  expect(open("https://me:secret@feed.example/v3/index.json")).toThrow(/credentials/);
  expect(open("file:///v3/index.json")).toThrow(/no protocol/);
});

async function* bytes(text: string) {
  yield Buffer.from(text);
}
