import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { OciOptions } from "./app.ts";
import { createOciApp } from "./app.ts";
import type { OciVerdict } from "./ports.ts";
import { parseRepositoryName } from "./repository-name.ts";
import type { TestManifest } from "./testing/build-image.ts";
import { OCI_INDEX, blobOf, buildImage, buildIndex } from "./testing/build-image.ts";
import { createMemoryOciPorts } from "./testing/memory-ports.ts";
import { OPEN_UPLOADS_MAX } from "./upload/upload-limit.ts";

function openRegistry(options: Partial<OciOptions> = {}, ports = createMemoryOciPorts()) {
  const app = createOciApp(ports, { service: "registry.test", ...options });
  const push = async (blob: { digest: string; bytes: Uint8Array }, repository = "app") => {
    const path = `/v2/${repository}/blobs/uploads/?digest=${blob.digest}`;
    const body = new Uint8Array(blob.bytes);
    return (await app.request(path, { method: "POST", body })).status;
  };
  const putManifest = async (manifest: TestManifest, reference: string, repository = "app") => {
    for (const blob of manifest.blobs) await push(blob, repository);
    const { mediaType, bytes } = manifest;
    const headers = { "content-type": mediaType };
    const put = { method: "PUT", body: new Uint8Array(bytes), headers };
    return app.request(`/v2/${repository}/manifests/${reference}`, put);
  };
  return { app, ports, push, putManifest };
}

test("keeps one object for eight concurrent pushes of one blob", async () => {
  const { ports, push } = openRegistry();
  const blob = blobOf(randomBytes(1_000));
  const racers = Array.from({ length: 8 }, (_, n) => push(blob, `racer-${n}`));
  expect(await Promise.all(racers)).toEqual(Array.from({ length: 8 }, () => 201));
  expect(ports.files.objects.size).toBe(1);
});

test("announces and counts a manifest once, however often it is pushed", async () => {
  const { ports, putManifest } = openRegistry();
  const image = buildImage();
  for (const reference of ["1", image.digest, "1"]) {
    expect((await putManifest(image, reference)).status).toBe(201);
  }
  expect(ports.events).toEqual([`pushed app@${image.digest} 1`]);
  expect(ports.counted).toEqual({ push: 1, pull: 0 });
  await putManifest(image, "2");
  expect(ports.counted.push).toBe(2);
});

test("counts a push by its tag and its parts by digest never", async () => {
  const { ports, putManifest } = openRegistry();
  const children = ["a", "b"].map((config) => buildImage({ config }));
  for (const child of children) await putManifest(child, child.digest);
  const index = buildIndex(children);
  await putManifest(index, index.digest);
  expect(ports.counted.push).toBe(0);
  await putManifest(index, "1");
  expect(ports.counted.push).toBe(1);
});

test("counts a pull once, whether it begins with HEAD or with GET", async () => {
  const { app, ports, putManifest } = openRegistry();
  const image = buildImage();
  await putManifest(image, image.digest);
  const index = buildIndex([image]);
  await putManifest(index, "1");
  const read = (reference: string, method = "GET") =>
    app.request(`/v2/app/manifests/${reference}`, { method });
  await read("1", "HEAD");
  expect(ports.counted.pull).toBe(0);
  await read(index.digest);
  await read(image.digest);
  expect(ports.counted.pull).toBe(1);
  await read("1");
  await read(image.digest);
  expect(ports.counted.pull).toBe(2);
  await read("none");
  const headers = { "if-none-match": `"${index.digest}"` };
  expect((await app.request("/v2/app/manifests/1", { headers })).status).toBe(304);
  expect(ports.counted.pull).toBe(2);
});

test("serves a range of a manifest", async () => {
  const { app, putManifest } = openRegistry();
  const image = buildImage();
  await putManifest(image, "1");
  const response = await app.request("/v2/app/manifests/1", { headers: { range: "bytes=1-15" } });
  expect(response.status).toBe(206);
  expect(await response.text()).toBe(Buffer.from(image.bytes.subarray(1, 16)).toString());
});

test("stages a whole blob at once, without parts", async () => {
  const { app, ports } = openRegistry();
  const append = { ...ports.files, append: () => Promise.reject(new Error("no parts, please")) };
  const strict = openRegistry({}, { ...ports, files: append });
  const { digest, bytes } = blobOf(randomBytes(100));
  const started = await strict.app.request("/v2/app/blobs/uploads/", { method: "POST" });
  const session = started.headers.get("location") ?? "";
  const put = { method: "PUT", body: new Uint8Array(bytes) };
  const closed = await strict.app.request(`${session}?digest=${digest}`, put);
  expect(closed.status).toBe(201);
  expect((await app.request(`/v2/app/blobs/${digest}`)).status).toBe(200);
});

test("refuses new uploads with data of a token that has many, and nothing else", async () => {
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const dayMs = 24 * 60 * 60_000;
  const { app, ports, push } = openRegistry(
    { now, uploadExpiryMs: dayMs },
    createMemoryOciPorts({ now }),
  );
  const start = async () => {
    const started = await app.request("/v2/app/blobs/uploads/", { method: "POST" });
    return started.headers.get("location") ?? "";
  };
  const patch = (session: string, body = "x") => app.request(session, { method: "PATCH", body });
  const running = await start();
  expect((await patch(running)).status).toBe(202);
  for (let n = 1; n < OPEN_UPLOADS_MAX; n += 1) {
    const id = `upload-${n}`;
    const repository = parseRepositoryName("other");
    await ports.uploads.create({ id, repository, owner: "anonymous", offset: 1 });
  }

  const session = await start();
  const refused = await patch(session);
  expect(refused.status).toBe(429);
  const message =
    "this token has 1,000 unfinished uploads of blobs, which is the limit: finish or cancel " +
    "some, or wait: each ends by itself 24 hours after its last data";
  expect(await refused.json()).toEqual({ errors: [{ code: "TOOMANYREQUESTS", message }] });
  const { digest } = blobOf("whole");
  const range = { "content-range": "0-4", "content-length": "5" };
  const put = { method: "PUT", body: "whole", headers: range };
  expect((await app.request(`${session}?digest=${digest}`, put)).status).toBe(429);

  expect((await patch(running)).status).toBe(202);
  const whole = await Promise.all(["a", "b", "c"].map((text) => push(blobOf(text))));
  expect(whole).toEqual([201, 201, 201]);
  const small = { method: "PUT", body: "whole", headers: { "content-length": "5" } };
  expect((await app.request(`${await start()}?digest=${digest}`, small)).status).toBe(201);
  expect((await app.request(running, { method: "DELETE" })).status).toBe(204);
  expect((await patch(session)).status).toBe(202);
  expect((await patch(await start())).status).toBe(429);
  clock.now += dayMs + 1;
  expect((await patch(await start())).status).toBe(202);
});

test("leaves no object, no part and no session after a wrong digest", async () => {
  const { app, ports } = openRegistry();
  const wrong = blobOf("other").digest;
  for (const chunks of [0, 1]) {
    const started = await app.request("/v2/app/blobs/uploads/", { method: "POST" });
    const session = started.headers.get("location") ?? "";
    for (let n = 0; n < chunks; n += 1) {
      await app.request(session, { method: "PATCH", body: "chunk" });
    }
    const put = { method: "PUT", body: "rest" };
    const closed = await app.request(`${session}?digest=${wrong}`, put);
    expect(closed.status).toBe(400);
    expect(await closed.json()).toMatchObject({ errors: [{ code: "DIGEST_INVALID" }] });
    expect((await app.request(session)).status).toBe(404);
  }
  expect(ports.files.objects.size).toBe(0);
  expect(ports.files.pending()).toEqual([]);
});

test("rolls a cut body back to where its request began", async () => {
  const { app } = openRegistry();
  const started = await app.request("/v2/app/blobs/uploads/", { method: "POST" });
  const session = started.headers.get("location") ?? "";
  await app.request(session, { method: "PATCH", body: "12345" });
  const headers = { "content-length": "10" };
  const cut = await app.request(session, { method: "PATCH", body: "678", headers });
  expect(cut.status).toBe(400);
  expect(await cut.json()).toMatchObject({ errors: [{ code: "SIZE_INVALID" }] });
  expect((await app.request(session)).headers.get("range")).toBe("0-4");
});

test("refuses a blob over the limit, announced or not, and keeps nothing of it", async () => {
  const { app, ports, push } = openRegistry({ maxBlobBytes: 10 });
  expect(await push(blobOf("0123456789"))).toBe(201);
  expect(await push(blobOf("0123456789+"))).toBe(413);
  const started = await app.request("/v2/app/blobs/uploads/", { method: "POST" });
  const session = started.headers.get("location") ?? "";
  expect((await app.request(session, { method: "PATCH", body: "012345" })).status).toBe(202);
  expect((await app.request(session, { method: "PATCH", body: "012345" })).status).toBe(413);
  const headers = { "content-length": "5" };
  const announced = await app.request(session, { method: "PATCH", body: "01234", headers });
  expect(announced.status).toBe(413);
  expect((await app.request(session)).headers.get("range")).toBe("0-5");
  expect(ports.files.objects.size).toBe(1);
});

test("keeps the answer of a duplicate blob when the copy cannot be deleted", async () => {
  const { ports } = openRegistry();
  const files: typeof ports.files = {
    ...ports.files,
    async stage(...args) {
      const staged = await ports.files.stage(...args);
      const keep = async () => {
        return { ...(await staged.keep()), discard: () => Promise.reject(new Error("disk")) };
      };
      return { ...staged, keep };
    },
  };
  const { push } = openRegistry({}, { ...ports, files });
  expect(await push(blobOf("same"), "a")).toBe(201);
  expect(await push(blobOf("same"), "b")).toBe(201);
});

test.each<[OciVerdict, number, string, Record<string, string>]>([
  [
    { status: "anonymous", error: "invalid_token" },
    401,
    "UNAUTHORIZED",
    {
      "www-authenticate":
        'Bearer realm="http://registry.test/token",service="registry.test",' +
        'scope="repository:app:pull",error="invalid_token"',
    },
  ],
  [{ status: "denied", reason: "not for you" }, 403, "DENIED", {}],
  [{ status: "limited", retryAfterSeconds: 7.2 }, 429, "TOOMANYREQUESTS", { "retry-after": "8" }],
])("answers the verdict %o", async (verdict, status, code, headers) => {
  const { app } = openRegistry({}, { ...createMemoryOciPorts(), authorize: async () => verdict });
  const response = await app.request("/v2/app/tags/list");
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ errors: [{ code }] });
  expect(Object.fromEntries(response.headers)).toMatchObject(headers);
});

test("always challenges a ping without credentials, even on an open registry", async () => {
  const { app } = openRegistry();
  const response = await app.request("/v2/");
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toBe(
    'Bearer realm="http://registry.test/token",service="registry.test"',
  );
});

test("asks an anonymous caller to sign in, and rejects wrong credentials", async () => {
  const tokens = { issue: async () => ({ status: "refused" }) as const };
  const { app } = openRegistry({}, { ...createMemoryOciPorts(), tokens });
  const message = async (headers: Record<string, string>) =>
    JSON.stringify(await (await app.request("/token", { headers })).json());
  expect(await message({})).toContain("use an API token as the password");
  expect(await message({ authorization: "Basic bTp4" })).toContain("is not valid");
});

test("says limits of the token endpoint, and never gives a token under a minute", async () => {
  const issue = (outcome: object) => {
    const tokens = { issue: async () => outcome as never };
    const host = new Hono();
    host.onError((error, c) => c.text(error.message, 500));
    host.route("/", openRegistry({}, { ...createMemoryOciPorts(), tokens }).app);
    return host;
  };
  const limited = await issue({ status: "limited", retryAfterSeconds: 30 }).request("/token");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "30"]);
  const short = { status: "issued", token: "t", expiresInSeconds: 59, issuedAt: new Date() };
  expect((await issue(short).request("/token")).status).toBe(500);
  const scopes = "scope=repository:a:pull&".repeat(101);
  expect((await issue(short).request(`/token?${scopes}`)).status).toBe(400);
  const put = await issue(short).request("/token", { method: "PUT" });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("tells caches what lasts and what does not", async () => {
  const { app, putManifest } = openRegistry();
  const image = buildImage();
  await putManifest(image, "1");
  const cacheOf = async (path: string, headers = {}) =>
    (await app.request(path, { headers })).headers.get("cache-control");
  const forever = "max-age=31536000, immutable, no-transform";
  const byDigest = `/v2/app/manifests/${image.digest}`;
  expect(await cacheOf("/v2/app/manifests/1")).toBe("no-cache, no-transform");
  expect(await cacheOf(byDigest)).toBe(`public, ${forever}`);
});

test("leaves other errors, and other paths, to the host", async () => {
  const ports = createMemoryOciPorts();
  const find = () => Promise.reject(new Error("disk on fire"));
  const { app } = openRegistry({}, { ...ports, blobs: { ...ports.blobs, find } });
  const host = new Hono();
  host.onError((error, c) => c.text(`host saw ${error.message}`, 500));
  host.route("/", app);
  host.get("/v3/index.json", (c) => c.text("another protocol"));
  const blob = await host.request(`/v2/app/blobs/${blobOf("").digest}`);
  expect(await blob.text()).toBe("host saw disk on fire");
  const other = await host.request("/v3/index.json");
  expect(await other.text()).toBe("another protocol");
  expect(other.headers.get("docker-distribution-api-version")).toBeNull();
  expect((await host.request("/v2/APP/tags/list")).status).toBe(400);
});

test("fills a page of the catalog with what the caller may read", async () => {
  const ports = createMemoryOciPorts();
  const { app, push, putManifest } = openRegistry(
    {},
    {
      ...ports,
      authorize: async () => ({
        status: "granted",
        caller: { actor: "me" },
        mayPull: (name) => name.endsWith("0"),
      }),
    },
  );
  for (let n = 100; n < 160; n += 1) await putManifest(buildImage(), "1", `r-${n}`);
  // A repository without a manifest, as an interrupted push leaves it, is not listed.
  await push(blobOf("x"), "r-1050");
  const first = await app.request("/v2/_catalog?n=4");
  expect(await first.json()).toEqual({ repositories: ["r-100", "r-110", "r-120", "r-130"] });
  expect(first.headers.get("link")).toBe('</v2/_catalog?n=4&last=r-130>; rel="next"');
  const second = await app.request("/v2/_catalog?n=4&last=r-130");
  expect(await second.json()).toEqual({ repositories: ["r-140", "r-150"] });
  expect(second.headers.get("link")).toBeNull();
});

test("serves referrers as an index without a charset", async () => {
  const { app } = openRegistry();
  const response = await app.request(`/v2/none/referrers/${blobOf("").digest}`);
  expect(response.headers.get("content-type")).toBe(OCI_INDEX);
  expect(await response.json()).toEqual({
    schemaVersion: 2,
    mediaType: OCI_INDEX,
    manifests: [],
  });
});
