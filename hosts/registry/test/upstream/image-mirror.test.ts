import { createHash } from "node:crypto";
import { buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { openScriptedImages } from "@sealhouse/upstream-sources/testing";
import type { ScriptedImages } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { imageOf, layerOf, startMirrorHost } from "./mirror-host.ts";
import type { MirrorHost } from "./mirror-host.ts";

const cleanUp = new AsyncDisposableStack();
let host: MirrorHost;
let hub: ScriptedImages;
let acme: ScriptedImages;
/** Headers of a client that may push. */
let writer: Record<string, string>;

beforeAll(async () => {
  hub = cleanUp.use(await openScriptedImages());
  acme = cleanUp.use(await openScriptedImages());
  const sources = [
    { name: "hub", url: hub.url },
    { name: "acme", url: acme.url, surface: "shown" },
  ];
  host = cleanUp.use(
    await startMirrorHost(sources, {
      Feed__Oci__Default__PlatformPolicy__AllowedOs__0: "linux",
      Feed__Oci__AllowSparseIndexes: "true",
      Feed__Oci__Shown__Enabled: "true",
      Feed__Oci__Shown__IncludeMirroredInCatalog: "true",
    }),
  );
  const token = await host.makeToken({ scopes: "read,write,delete" });
  writer = { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` };
});
afterAll(() => cleanUp.disposeAsync());

const counted = (part: string) => hub.requests.filter((request) => request.includes(part));

test("pulls an image through by tag and digest, once, and keeps it", async () => {
  const image = imageOf("kept");
  const layer = layerOf(image);
  hub.put("team/kept", image, "1.0");
  const head = await host.ask(`team/kept/manifests/1.0`, { method: "HEAD" });
  expect(head.headers.get("docker-content-digest")).toBe(image.digest);
  const unread = await host.ask(`team/kept/blobs/${layer.digest}`, { method: "HEAD" });
  expect(unread.headers.get("content-length")).toBe(String(layer.bytes.length));
  expect(counted(`GET /v2/team/kept/blobs`)).toEqual([]);
  for (let time = 0; time < 2; time += 1) {
    const manifest = await host.ask("team/kept/manifests/1.0");
    expect(manifest.bytes).toEqual(Uint8Array.from(image.bytes));
    const blob = await host.ask(`team/kept/blobs/${layer.digest}`);
    expect(blob.bytes).toEqual(Uint8Array.from(layer.bytes));
  }
  expect((await host.ask(`team/kept/manifests/${image.digest}`)).status).toBe(200);
  expect(counted("GET /v2/team/kept/")).toHaveLength(2);
});

test("keeps an index although only one of its images was pulled, and refuses other systems", async () => {
  const [linux, windows] = [imageOf("linux"), imageOf("windows")];
  const attestation = imageOf("attestation");
  const on = (image: TestManifest, os: string) => ({
    ...image,
    descriptor: { ...image.descriptor, platform: { os, architecture: "amd64" } },
  });
  const index = buildIndex([
    on(linux, "linux"),
    on(windows, "windows"),
    on(attestation, "unknown"),
  ]);
  hub.put("team/multi", index, "1.0");
  for (const image of [linux, windows, attestation]) hub.put("team/multi", image);
  expect((await host.ask("team/multi/manifests/1.0")).bytes).toEqual(Uint8Array.from(index.bytes));
  const statusOf = async ({ digest }: TestManifest) =>
    (await host.ask(`team/multi/manifests/${digest}`)).status;
  expect(await statusOf(linux)).toBe(200);
  expect(await statusOf(windows)).toBe(404);
  expect(await statusOf(attestation)).toBe(200);
  const collected = await host.cli("oci", "gc", "--dry-run");
  expect(collected.code, collected.stderr).toBe(0);
});

test("refuses pushes to what is mirrored, and mirrors nothing that was pushed", async () => {
  const image = imageOf("mine");
  hub.put("team/theirs", image, "1.0");
  expect((await host.ask("team/theirs/manifests/1.0")).status).toBe(200);
  const own = buildIndex([]);
  const put = (name: string) =>
    host.ask(`${name}/manifests/2.0`, {
      method: "PUT",
      body: Buffer.from(own.bytes),
      headers: { ...writer, "content-type": own.mediaType },
    });
  const upload = { method: "POST", headers: writer };
  const { digest } = layerOf(image);
  const refusals = [
    await put("team/theirs"),
    await host.ask("team/theirs/blobs/uploads/", upload),
    await host.ask(`team/theirs/blobs/uploads/?mount=${digest}&from=team/kept`, upload),
  ];
  for (const { status, text } of refusals) {
    expect(status).toBe(403);
    expect(text).toMatch(/"DENIED".*source \\"hub\\".*sealhouse source release oci team\/theirs/);
  }
  hub.put("team/mine", image, "1.0");
  expect((await put("team/mine")).status).toBe(201);
  const before = hub.requests.length;
  const misses = ["manifests/1.0", `manifests/${image.digest}`, `blobs/${digest}`];
  for (const path of misses) expect((await host.ask(`team/mine/${path}`)).status).toBe(404);
  expect((await host.ask("team/mine/tags/list")).text).toContain('["2.0"]');
  await host.ask(`team/mine/referrers/${image.digest}`);
  expect(hub.requests.slice(before)).toEqual([]);
  // The source does not take the place of a hidden name.
  await host.cli("visibility", "set", "oci:team/mine", "private");
  for (const path of [...misses, "manifests/2.0", "tags/list"]) {
    expect([path, (await host.ask(`team/mine/${path}`)).status]).toEqual([path, 401]);
  }
  await host.ask(`team/mine/referrers/${image.digest}`);
  // The source gets a question about a random name instead.
  expect(hub.requests.slice(before).join("\n")).not.toContain("team/mine");
  const asked = hub.requests.length;
  const released = await host.cli("source", "release", "oci", "team/theirs");
  expect(released.code, released.stderr).toBe(0);
  expect((await put("team/theirs")).status).toBe(201);
  expect((await host.ask("team/theirs/manifests/9.9")).status).toBe(404);
  expect(hub.requests.slice(asked)).toEqual([]);
});

test("an interrupted push leaves a name to its source, and a forgotten one goes back to it", async () => {
  const image = imageOf("forgotten");
  const layer = Buffer.from("a layer of an interrupted push");
  const digest = `sha256:${createHash("sha256").update(layer).digest("hex")}`;
  const upload = { method: "POST", headers: writer, body: layer };
  for (const name of ["team/begun", "team/ended"]) {
    const sent = await host.ask(`${name}/blobs/uploads/?digest=${digest}`, upload);
    expect(sent.status).toBe(201);
    hub.put(name, image, "1.0");
  }
  expect((await host.ask("team/begun/manifests/1.0")).status).toBe(200);
  const own = buildIndex([]);
  const pushed = await host.ask("team/ended/manifests/2.0", {
    method: "PUT",
    body: Buffer.from(own.bytes),
    headers: { ...writer, "content-type": own.mediaType },
  });
  expect(pushed.status).toBe(201);
  const forget = (name: string) => host.cli("oci", "forget", name);
  expect((await forget("team/ended")).stderr).toContain("has manifests");
  const deleting = { method: "DELETE", headers: writer };
  const deleted = await host.ask(`team/ended/manifests/${own.digest}`, deleting);
  expect(deleted.status, deleted.text).toBe(202);
  expect((await host.ask("team/ended/manifests/1.0")).status).toBe(401);
  const forgotten = await forget("team/ended");
  expect(forgotten.code, forgotten.stderr).toBe(0);
  // The host looks origins up again after some seconds.
  const read = async () => (await host.ask("team/ended/manifests/1.0")).status;
  await expect.poll(read, { timeout: 20_000 }).toBe(200);
});

test("refuses pushes below the name of a source's registry, until the name is reserved", async () => {
  const prefix = new URL(acme.url).host.replace(":", "-");
  const name = `${prefix}/library/planted`;
  const own = buildIndex([]);
  const put = (headers: Record<string, string> = {}) =>
    host.ask(`${name}/manifests/1`, {
      method: "PUT",
      body: Buffer.from(own.bytes),
      headers: { ...writer, "content-type": own.mediaType, ...headers },
    });
  await host.ask("team/kept/manifests/none");
  const via = hub.headers.findLast((sent) => sent.via !== undefined)?.via ?? "";
  expect(via).not.toBe("");
  const upload = { method: "POST", headers: writer };
  for (const { status, text } of [
    await put(),
    await put({ via }),
    await host.ask(`${name}/blobs/uploads/`, upload),
  ]) {
    expect(status).toBe(403);
    expect(text).toContain(`sealhouse source reserve oci ${name}`);
  }
  const reserved = await host.cli("source", "reserve", "oci", name);
  expect(reserved.code, reserved.stderr).toBe(0);
  expect((await put()).status).toBe(201);
});

test("lists mirrored repositories in the catalog of segments that include them", async () => {
  const image = imageOf("listed");
  hub.put("team/listed", image, "1.0");
  acme.put("listed", image, "1.0");
  for (const name of ["team/listed", "shown/listed"]) {
    expect((await host.ask(`${name}/manifests/1.0`)).status).toBe(200);
  }
  const catalog = await host.ask("_catalog", { headers: writer });
  expect(catalog.text).toContain("shown/listed");
  expect(catalog.text).not.toContain("team/listed");
});

test("serves a kept tag as a stale one, and 503 for another one, while the source fails", async () => {
  const image = imageOf("stale");
  hub.put("team/stale", image, "1.0");
  expect((await host.ask("team/stale/manifests/1.0")).status).toBe(200);
  hub.fault = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
  const uncached = await host.ask("team/stale/manifests/2.0");
  expect([uncached.status, Number(uncached.headers.get("retry-after")) > 0]).toEqual([503, true]);
  const staleOf = async () => {
    const { headers } = await host.ask("team/stale/manifests/1.0");
    return `${headers.get("x-sealhouse-stale")} ${headers.get("docker-content-digest")}`;
  };
  await expect.poll(staleOf, { timeout: 10_000 }).toMatch(/^hub; since=2/);
  expect(await staleOf()).toContain(image.digest);
  hub.fault = undefined;
});

test("takes a pushed index whose images are missing, with sparse indexes allowed", async () => {
  const index = buildIndex([imageOf("elsewhere")]);
  const request = { method: "PUT", body: Buffer.from(index.bytes) };
  const headers = { ...writer, "content-type": index.mediaType };
  const put = await host.ask("own/sparse/manifests/1.0", { ...request, headers });
  expect(put.status).toBe(201);
});
