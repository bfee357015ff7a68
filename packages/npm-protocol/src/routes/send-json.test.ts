import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { buildTarball } from "../testing/build-tarball.ts";
import { provenanceBundle } from "../testing/provenance-bundle.ts";
import { put, registry } from "../testing/registry.ts";
import { signAll } from "../testing/sign-all.ts";

const READS = [
  ["the keys", "/npm/-/npm/v1/keys", "public, no-cache"],
  ["statements", "/npm/-/npm/v1/attestations/@acme%2fdemo@1.0.0", "public, no-cache"],
  // A token may be narrowed to some names, so that a search is one caller's own.
  ["a search", "/npm/-/v1/search?text=demo", "private, no-cache"],
] as const;

const startedAt = new Date("2026-11-22T10:00:01.234Z");

async function filled(options: { readonly anonymousRead: boolean }) {
  let now = startedAt;
  const { app, ports } = registry({}, { ...options, now: () => now });
  const tarball = buildTarball({ name: "@acme/demo" });
  const sha512 = createHash("sha512").update(tarball).digest("hex");
  const provenance = provenanceBundle({ name: "@acme/demo", version: "1.0.0", sha512 });
  expect((await put(app, { name: "@acme/demo", tarball, provenance })).status).toBe(200);
  await signAll(ports);
  return { app, pass: (ms: number) => (now = new Date(now.getTime() + ms)) };
}

test.each(READS)("%s: answers 304 to a client with a current copy", async (_, path, age) => {
  const { app, pass } = await filled({ anonymousRead: true });
  const whole = await app.request(path);
  const text = await whole.text();
  expect([whole.status, text.startsWith("{")]).toEqual([200, true]);
  expect(whole.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  const sent = ["etag", "cache-control", "vary"].map((name) => whole.headers.get(name));
  const [etag, cacheControl, vary] = sent;
  expect(etag).toMatch(/^"[\w-]{27}"$/);
  expect(cacheControl).toBe(age);
  expect(vary).toMatch(/\bAuthorization$/);

  pass(1000);
  const headers = { "if-none-match": etag ?? "" };
  const fresh = await app.request(path, { headers });
  expect([fresh.status, await fresh.text()]).toEqual([304, ""]);
  expect(["etag", "cache-control", "vary"].map((name) => fresh.headers.get(name))).toEqual(sent);
  const head = await app.request(path, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));

  const other = await app.request(path, { headers: { "if-none-match": '"other"' } });
  expect(await other.text()).toBe(text);
});

test.each(READS)("%s are for one caller where reading takes a token", async (_, path) => {
  const { app } = await filled({ anonymousRead: false });
  expect((await app.request(path)).headers.get("cache-control")).toBe("private, no-cache");
});

test("a search that finds something else is another document", async () => {
  const { app } = await filled({ anonymousRead: true });
  const path = "/npm/-/v1/search?text=demo";
  const etag = (await app.request(path)).headers.get("etag") ?? "";
  expect((await put(app, { name: "demo-two" })).status).toBe(200);
  const after = await app.request(path, { headers: { "if-none-match": etag } });
  expect([after.status, await after.json()]).toMatchObject([200, { total: 2 }]);
});
