import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  ACME,
  bytes,
  json,
  NUPKG,
  openHostile,
  redirect,
  SOURCE,
  VERSIONS,
} from "./hostile-feed.test.support.ts";
import type { Answering } from "./hostile-feed.test.support.ts";

test("sends credentials only to their own origin, including after a redirect", async () => {
  const mirror = "https://mirror.example/acme.nupkg";
  const back = "https://feed.example/blob";
  const { client, asked: requestsTo } = openHostile({
    [NUPKG]: redirect(mirror),
    [mirror]: redirect(back, 307),
    [back]: () => new Response("bytes"),
  });
  const download = await client.package(ACME);
  expect(Buffer.concat(await Array.fromAsync(download?.body ?? [])).toString()).toBe("bytes");
  const authorizations = [NUPKG, mirror, back].map((url) =>
    requestsTo(url)[0]?.headers.get("authorization"),
  );
  expect(authorizations).toEqual(["Bearer secret", null, "Bearer secret"]);
});

test.each([
  ["another port", "https://feed.example:8443/x"],
  ["a sub-domain", "https://cdn.feed.example/x"],
])("%s is another origin", async (_, other) => {
  const { client, asked: requestsTo } = openHostile({ [NUPKG]: redirect(other) });
  expect(await client.package(ACME)).toBeUndefined();
  expect(requestsTo(other)[0]?.headers.get("authorization")).toBeNull();
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
])("does not follow a redirect to %s", async (_, to, words) => {
  const { client, asked: requestsTo } = openHostile({ [NUPKG]: redirect(to) });
  await expect(client.package(ACME)).rejects.toMatchObject({ code: "refused-address" });
  await expect(client.package(ACME)).rejects.toThrow(words);
  expect(requestsTo(to)).toEqual([]);
});

test("gives up after five redirects", async () => {
  const { client, asked: requestsTo } = openHostile({ [NUPKG]: redirect(NUPKG) });
  await expect(client.package(ACME)).rejects.toThrow("more than 5 redirects");
  expect(requestsTo(NUPKG)).toHaveLength(6);
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

test("an upload follows no redirect to another server", async () => {
  const push = "https://feed.example/push/";
  const elsewhere = "https://elsewhere.example/push/";
  const created: Answering = () => new Response(null, { status: 201 });
  for (const status of [307, 308]) {
    const answers = { [push]: redirect(elsewhere, status), [elsewhere]: created };
    const { client, asked } = openHostile(answers);
    const sent = client.push({ read: () => bytes("x") });
    await expect(sent).rejects.toMatchObject({ code: "refused-address" });
    expect(asked(elsewhere)).toEqual([]);
  }
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
  const { client, asked: requestsTo } = openHostile({
    [push]: () => new Response("", { status: 503, headers: { "retry-after": "5" } }),
  });
  expect(await client.push({ read: () => bytes("x") })).toMatchObject({
    status: "failed",
    retryAfterMs: 5_000,
  });
  expect(requestsTo(push)).toHaveLength(1);
});

test("limits documents, including their unpacked size", async () => {
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

test("reads gzip that fetch has not unpacked", async () => {
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

test("aborts a stalled download", async () => {
  const stuck = () =>
    new Response(new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) }));
  const { client } = openHostile({ [NUPKG]: stuck }, { idleTimeoutMs: 20 });
  const download = await client.package(ACME);
  await expect(Array.fromAsync(download?.body ?? [])).rejects.toThrow(
    "too little came within 20 ms",
  );
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
