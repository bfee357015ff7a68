import { expect, test } from "vitest";
import { digestOf } from "../digest.ts";
import type { OciClientOptions } from "./client.ts";
import { OciClientError } from "./client-error.ts";
import { openOciClient } from "./open-client.ts";

const REGISTRY = "https://registry.example";
const BLOB = Buffer.from("the bytes of a blob, of which there are some");
const DIGEST = digestOf(BLOB);
const BLOB_PATH = `/v2/app/blobs/${DIGEST}`;

type Seen = { readonly url: string; readonly method: string; readonly headers: Headers };
type Answering = (request: Seen, count: number) => Response | Promise<Response>;

/** A registry that answers as a table says, by method and address; everything else is 404. */
function openHostile(
  table: Readonly<Record<string, Answering>>,
  options: Partial<OciClientOptions> = {},
) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const client = openOciClient({
    registry: new URL(REGISTRY),
    wait: async (ms) => void waits.push(ms),
    credentials: { type: "basic", username: "me", password: "secret" },
    async fetch({ href }, init) {
      const url = href.startsWith(REGISTRY) ? href.slice(REGISTRY.length) : href;
      const { method = "GET" } = init;
      const request = { url, method, headers: new Headers(init.headers) };
      const count = seen.filter(
        (expected) => expected.url === url && expected.method === method,
      ).length;
      seen.push(request);
      if (init.body instanceof ReadableStream) await new Response(init.body).arrayBuffer();
      init.signal?.throwIfAborted();
      return table[`${method} ${url}`]?.(request, count) ?? new Response(null, { status: 404 });
    },
    ...options,
  });
  return { client, place: client.repository("app"), seen, waits };
}

function says(status: number, headers: Record<string, string> = {}, body?: string): Answering {
  return () => new Response(body ?? null, { status, headers });
}

async function read(place: ReturnType<typeof openHostile>["place"], size = BLOB.length) {
  await using download = await place.blob(DIGEST, { size });
  return Buffer.concat(await Array.fromAsync(download?.body ?? []));
}

/** A body that ends early, after this number of bytes. */
function broken(from: number, to: number): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
      else controller.enqueue(new Uint8Array(BLOB.subarray(from, to)));
      isSent = true;
    },
  });
}

test("resumes an interrupted download", async () => {
  const { place, seen, waits } = openHostile({
    [`GET ${BLOB_PATH}`]({ headers }) {
      const from = Number(/\d+/.exec(headers.get("range") ?? "0")?.[0]);
      const range = `bytes ${from}-${BLOB.length - 1}/${BLOB.length}`;
      const init = { status: from === 0 ? 200 : 206, headers: { "content-range": range } };
      return new Response(broken(from, from + 10), init);
    },
  });
  await expect(read(place)).resolves.toEqual(BLOB);
  expect(seen.map(({ headers }) => headers.get("range"))).toEqual([
    null,
    "bytes=10-",
    "bytes=20-",
    "bytes=30-",
    "bytes=40-",
  ]);
  expect(waits).toHaveLength(4);
});

test("gives up an interrupted download after five pieces", async () => {
  const { place, seen } = openHostile({
    [`GET ${BLOB_PATH}`]({ headers }) {
      const from = Number(/\d+/.exec(headers.get("range") ?? "0")?.[0]);
      const init = { status: 206, headers: { "content-range": `bytes ${from}-43/44` } };
      return new Response(broken(from, from + 1), from === 0 ? {} : init);
    },
  });
  await expect(read(place)).rejects.toMatchObject({ code: "unreachable" });
  expect(seen).toHaveLength(5);
});

test("a registry without ranges gives it again, and nothing comes twice", async () => {
  const { place } = openHostile({
    [`GET ${BLOB_PATH}`]: (_, count) =>
      new Response(count === 0 ? broken(0, 25) : new Uint8Array(BLOB)),
  });
  await expect(read(place)).resolves.toEqual(BLOB);
});

test("a piece from somewhere else is not taken", async () => {
  const { place } = openHostile({
    [`GET ${BLOB_PATH}`]: (_, count) =>
      count === 0
        ? new Response(broken(0, 25))
        : new Response("xxx", { status: 206, headers: { "content-range": "bytes 20-22/44" } }),
  });
  await expect(read(place)).rejects.toMatchObject({ code: "malformed" });
});

test.each<[string, Uint8Array | string, number, string]>([
  ["other bytes", Buffer.alloc(BLOB.length, "x"), BLOB.length, "instead of sha256:"],
  ["more bytes", `${BLOB.toString()}!`, BLOB.length, `has more than ${BLOB.length} bytes`],
  ["another size", BLOB, 43, "has more than 43 bytes"],
])("a blob of %s is refused", async (_, bytes, size, words) => {
  const { place } = openHostile({
    [`GET ${BLOB_PATH}`]: () => new Response(new Uint8Array(Buffer.from(bytes))),
  });
  const error: unknown = await read(place, size).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OciClientError);
  expect(error).toMatchObject({ code: "mismatch" });
  expect(String(error)).toContain(words);
});

test("a blob that is announced with another size is not even read", async () => {
  const { place } = openHostile({
    [`GET ${BLOB_PATH}`]: says(200, { "content-length": "1000000000000" }, "x"),
  });
  await expect(read(place)).rejects.toThrow("1000000000000 bytes where its descriptor says 44");
});

test("credentials go nowhere else", async () => {
  const { place, seen } = openHostile({
    [`GET ${BLOB_PATH}`]: ({ headers }) =>
      headers.has("authorization")
        ? new Response(null, { status: 307, headers: { location: "https://cdn.example/b" } })
        : new Response(null, { status: 401, headers: { "www-authenticate": "Basic" } }),
    "GET https://cdn.example/b": () => new Response(new Uint8Array(BLOB)),
  });
  await expect(read(place)).resolves.toEqual(BLOB);
  expect(seen.map(({ headers }) => headers.has("authorization"))).toEqual([false, true, false]);
});

test("sends no credentials to the target of a redirect", async () => {
  const { place, seen } = openHostile({
    [`GET ${BLOB_PATH}`]: says(302, { location: "https://evil.example/" }),
    "GET https://evil.example/": says(401, {
      "www-authenticate": 'Bearer realm="https://evil.example/token"',
    }),
  });
  await expect(read(place)).rejects.toMatchObject({ code: "unauthorized" });
  expect(seen.map(({ url }) => url)).toEqual([BLOB_PATH, "https://evil.example/"]);
});

test.each([
  ["http://registry.example/token", "refused-address"],
  ["https://me:secret@registry.example/token", "refused-address"],
  ["file:///etc/passwd", "refused-address"],
])("a token service at %s is not asked", async (realm, code) => {
  const { client, seen } = openHostile({
    "GET /v2/": says(401, { "www-authenticate": `Bearer realm="${realm}"` }),
  });
  await expect(client.ping()).rejects.toMatchObject({ code });
  expect(seen).toHaveLength(1);
});

test.each([
  ["no JSON", "<html>"],
  ["no token", '{"expires_in":300}'],
  ["a token with a line break", '{"token":"a\\r\\nx: y"}'],
])("an answer of the token service with %s is refused", async (_, answer) => {
  const { client } = openHostile({
    "GET /v2/": says(401, { "www-authenticate": 'Bearer realm="/token"' }),
    "GET /token?client_id=sealhouse&account=me": says(200, {}, answer),
  });
  await expect(client.ping()).rejects.toMatchObject({ code: "malformed" });
});

test("reports a repeated 401 after one further attempt, in the registry's words", async () => {
  const { client, seen } = openHostile({
    "GET /v2/": says(
      401,
      { "www-authenticate": 'Bearer realm="/token"' },
      '{"errors":[{"code":"DENIED","message":"not\\u001b[2J you"}]}',
    ),
    "GET /token?client_id=sealhouse&account=me": says(200, {}, '{"token":"t"}'),
  });
  await expect(client.ping()).rejects.toThrow(
    `${REGISTRY}/v2/: needs other credentials (401): DENIED, not [2J you`,
  );
  expect(seen.filter(({ url }) => url === "/v2/")).toHaveLength(2);
});

test("a busy registry is asked again, when it says", async () => {
  const { client, waits } = openHostile({
    "GET /v2/": (_, count) =>
      count < 2
        ? new Response(null, { status: 429, headers: { "retry-after": "3" } })
        : new Response("{}"),
  });
  await expect(client.ping()).resolves.toBe("none");
  expect(waits).toEqual([3_000, 3_000]);
});

test("a registry that wants an hour gets no further call", async () => {
  const { client, seen } = openHostile({ "GET /v2/": says(503, { "retry-after": "3600" }) });
  await expect(client.ping()).rejects.toMatchObject({
    code: "unreachable",
    status: 503,
    retryAfterMs: 3_600_000,
  });
  expect(seen).toHaveLength(1);
});

test("reports a server without /v2/ as not a registry", async () => {
  const { client } = openHostile({});
  await expect(client.ping()).rejects.toThrow("is not a registry: /v2/ answered 404");
});

test.each<[string, Record<string, string>, string, string]>([
  ["too large", { "content-length": "5000000" }, "{}", "too-large"],
  ["longer than it says", {}, `{"a":"${"x".repeat(5_000_000)}"}`, "too-large"],
  ["of another digest", { "docker-content-digest": DIGEST }, "{}", "mismatch"],
])("a manifest that is %s is refused", async (_, headers, body, code) => {
  const { place } = openHostile({ "GET /v2/app/manifests/1": says(200, headers, body) });
  await expect(place.manifest("1")).rejects.toMatchObject({ code });
});

test.each<[string, string, string]>([
  ["no list", '{"tags":7}', "no list of tags"],
  ["numbers", '{"tags":[7]}', "not text"],
  ["no JSON", "tags", "not a JSON object"],
])("tags that are %s are refused", async (_, body, words) => {
  const { place } = openHostile({ "GET /v2/app/tags/list?n=1000": says(200, {}, body) });
  await expect(Array.fromAsync(place.tags())).rejects.toThrow(words);
});

test("pages that lead in a circle are left", async () => {
  const headers = { link: '</v2/app/tags/list?n=1000>; rel="next"' };
  const { place, seen } = openHostile({
    "GET /v2/app/tags/list?n=1000": says(200, headers, '{"tags":["a"]}'),
  });
  await expect(Array.fromAsync(place.tags())).rejects.toThrow("its pages have no end");
  expect(seen).toHaveLength(1);
});

test.each([
  ["that is no list", '{"manifests":{}}'],
  ["with something else in it", '{"manifests":[{"digest":"sha256:x"}]}'],
])("an index of referrers %s is refused", async (_, body) => {
  const { place } = openHostile({
    [`GET /v2/app/referrers/${DIGEST}`]: says(200, { "content-type": "application/json" }, body),
  });
  await expect(place.referrers(DIGEST)).rejects.toMatchObject({ code: "malformed" });
});

const blob = {
  digest: DIGEST,
  size: BLOB.length,
  async *read() {
    yield BLOB;
  },
};
const START = "POST /v2/app/blobs/uploads/";

test("an upload that fails on the way starts again from its beginning", async () => {
  const session = { location: "/v2/app/blobs/uploads/1?state=a%20b" };
  const close = `/v2/app/blobs/uploads/1?state=a+b&digest=${encodeURIComponent(DIGEST)}`;
  const { place, seen } = openHostile({
    [START]: says(202, session),
    [`PUT ${close}`]: (_, count) => new Response(null, { status: [503, 500][count] ?? 201 }),
  });
  await place.pushBlob(blob);
  expect(seen.map(({ method }) => method)).toEqual(["POST", "PUT", "POST", "PUT", "POST", "PUT"]);
});

test("an upload is not sent to where the registry does not lead", async () => {
  const { place } = openHostile({ [START]: says(202) });
  await expect(place.pushBlob(blob)).rejects.toThrow("the answer has no Location");
  const plain = openHostile({ [START]: says(202, { location: "http://registry.example/u" }) });
  await expect(plain.place.pushBlob(blob)).rejects.toMatchObject({ code: "refused-address" });
  const inside = openHostile({
    [START]: says(202, { location: "https://inside.example:5000/u?state=secret" }),
    [`PUT https://inside.example:5000/u?state=secret&digest=${encodeURIComponent(DIGEST)}`]: () => {
      throw Object.assign(new Error("inside.example is private."), { code: "private-address" });
    },
  });
  await expect(inside.place.pushBlob(blob)).rejects.toMatchObject({
    code: "refused-address",
    message:
      "https://inside.example:5000/u: the registry at https://registry.example named this " +
      "address for the upload. inside.example is private.",
  });
  expect(inside.seen.map(({ method }) => method)).toEqual(["POST", "PUT"]);
});

test("reports content that cannot be read, and does not send it again", async () => {
  const { place, seen } = openHostile({
    [START]: says(202, { location: "/u" }),
    [`PUT /u?digest=${encodeURIComponent(DIGEST)}`]: says(201),
  });
  async function* halfOf() {
    yield BLOB.subarray(0, 5);
    throw Object.assign(new Error("the disk is gone"), { code: "EIO" });
  }
  await expect(place.pushBlob({ ...blob, read: halfOf })).rejects.toMatchObject({
    code: "source",
    message: expect.stringContaining("cannot read the data to send: the disk is gone"),
  });
  expect(seen).toHaveLength(2);
});

test.each([401, 403, 404, 405, 400])("a mount that is answered %i is an upload", async (status) => {
  const query = new URLSearchParams({ mount: DIGEST, from: "other" }).toString();
  const { place } = openHostile({ [`POST /v2/app/blobs/uploads/?${query}`]: says(status) });
  expect(await place.mount(DIGEST, "other")).toBe(false);
});

test("a stop is heard while it waits", async () => {
  const controller = new AbortController();
  const { client } = openHostile(
    { "GET /v2/": says(503) },
    {
      async wait(_, signal) {
        controller.abort(new Error("stopped"));
        signal?.throwIfAborted();
      },
    },
  );
  await expect(client.ping({ signal: controller.signal })).rejects.toThrow("stopped");
});

test("an answer that never ends is given up", async () => {
  const { place } = openHostile(
    { [`GET ${BLOB_PATH}`]: () => new Response(new ReadableStream()) },
    { idleTimeoutMs: 20 },
  );
  await expect(read(place)).rejects.toThrow("too little came within 20 ms");
});

test.each(["https://me:secret@registry.example", "ftp://registry.example"])(
  "%s is not a registry",
  (registry) => {
    expect(() => openOciClient({ registry: new URL(registry), fetch })).toThrow(TypeError);
  },
);
