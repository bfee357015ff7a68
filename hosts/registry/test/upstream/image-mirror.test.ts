import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { openScriptedImages } from "./scripted-images.ts";
import type { ImageFault, ScriptedImages } from "./scripted-images.ts";

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let hub: ScriptedImages;
let writer: Record<string, string>;

beforeAll(async () => {
  hub = cleanUp.use(await openScriptedImages());
  host = cleanUp.use(
    await startHost({
      env: {
        Signing__Mode: "",
        Feed__Oci__Default__Enabled: "true",
        Feed__Oci__Default__PlatformPolicy__AllowedOs__0: "linux",
        Feed__Oci__Shown__Enabled: "true",
        Feed__Oci__Shown__IncludeMirroredInCatalog: "true",
      },
    }),
  );
  await putSource("hub", hub.url);
  const token = await host.makeToken({ scopes: "read,write,delete" });
  writer = { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` };
});
afterAll(() => cleanUp.disposeAsync());

async function putSource(name: string, url: string, settings: object = {}) {
  await using database = await openDatabase({
    type: "Sqlite",
    path: join(host.folder, "sealhouse.db"),
  });
  const source = {
    name,
    protocol: "oci",
    url,
    type: "upstream",
    priority: 1,
    strategy: "IndexAndCache",
    signaturePolicy: "Resign",
    isEnabled: true,
    settings: JSON.stringify({
      allowPrivateNetwork: true,
      revalidateAfterMs: 200,
      negativeForMs: 100,
      ...settings,
    }),
  };
  await database.upstream.sources.put(source, { actor: "test" });
}

const get = (path: string, init: RequestInit = {}) => host.fetch(`/v2/${path}`, init);

async function ask(path: string, init: RequestInit = {}) {
  const response = await get(path, init);
  const bytes = await response.bytes();
  return { status: response.status, headers: response.headers, bytes, text: textOf(bytes) };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

/** An image with a layer that is longer than what is held back. */
function imageOf(name: string, layerBytes = 200_000): TestManifest {
  return buildImage({ config: `{"of":"${name}"}`, layers: [randomBytes(layerBytes)] });
}

function layerOf({ blobs }: TestManifest) {
  const [, layer] = blobs;
  if (!layer) throw new Error("the image has no layer");
  return layer;
}

const counted = (part: string) => hub.requests.filter((request) => request.includes(part));

test("pulls an image through by tag and digest, once, and keeps it", async () => {
  const image = imageOf("kept");
  const layer = layerOf(image);
  hub.put("team/kept", image, "1.0");
  const head = await ask(`team/kept/manifests/1.0`, { method: "HEAD" });
  expect(head.headers.get("docker-content-digest")).toBe(image.digest);
  const unread = await ask(`team/kept/blobs/${layer.digest}`, { method: "HEAD" });
  expect(unread.headers.get("content-length")).toBe(String(layer.bytes.length));
  expect(counted(`GET /v2/team/kept/blobs`)).toEqual([]);
  for (let time = 0; time < 2; time += 1) {
    const manifest = await ask("team/kept/manifests/1.0");
    expect(manifest.bytes).toEqual(Uint8Array.from(image.bytes));
    const blob = await ask(`team/kept/blobs/${layer.digest}`);
    expect(blob.bytes).toEqual(Uint8Array.from(layer.bytes));
  }
  expect((await ask(`team/kept/manifests/${image.digest}`)).status).toBe(200);
  expect(counted("GET /v2/team/kept/")).toHaveLength(2);
});

test("twenty clients cause one request for each part", async () => {
  const image = imageOf("many", 2_000_000);
  hub.put("team/many", image, "1.0");
  const paths = ["manifests/1.0", `blobs/${layerOf(image).digest}`];
  for (const path of paths) {
    const all = await Promise.all(Array.from({ length: 20 }, () => ask(`team/many/${path}`)));
    expect(new Set(all.map(({ status, bytes }) => `${status} ${bytes.length}`)).size).toBe(1);
  }
  expect(counted("/v2/team/many/").toSorted()).toEqual([
    `GET /v2/team/many/blobs/${layerOf(image).digest}`,
    `GET /v2/team/many/manifests/${image.digest}`,
    "HEAD /v2/team/many/manifests/1.0",
  ]);
});

test("keeps an index although only one of its images was pulled, and refuses other systems", async () => {
  const [linux, windows] = [imageOf("linux"), imageOf("windows")];
  const attestation = imageOf("attestation");
  const on = (image: TestManifest, os: string) => ({
    ...image,
    descriptor: { ...image.descriptor, platform: { os, architecture: "amd64" } },
  });
  const index = buildIndex([on(linux, "linux"), on(windows, "windows"), on(attestation, "unknown")]);
  hub.put("team/multi", index, "1.0");
  for (const image of [linux, windows, attestation]) hub.put("team/multi", image);
  expect((await ask("team/multi/manifests/1.0")).bytes).toEqual(Uint8Array.from(index.bytes));
  const statusOf = async ({ digest }: TestManifest) =>
    (await ask(`team/multi/manifests/${digest}`)).status;
  expect(await statusOf(linux)).toBe(200);
  expect(await statusOf(windows)).toBe(404);
  expect(await statusOf(attestation)).toBe(200);
  const collected = await host.cli("oci", "gc", "--dry-run");
  expect(collected.code, collected.stderr).toBe(0);
});

test("cuts off wrong bytes and names nothing", async () => {
  const image = imageOf("wrong");
  const { digest, bytes } = layerOf(image);
  hub.put("team/wrong", image, "1.0");
  await ask("team/wrong/manifests/1.0");
  const other = Uint8Array.from(bytes);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  hub.fault = (request, response) => {
    if (request.url !== `/v2/team/wrong/blobs/${digest}`) return false;
    response.writeHead(200, { "content-length": other.length }).end(other);
    return true;
  };
  await expect(get(`team/wrong/blobs/${digest}`).then((response) => response.bytes())).rejects.toThrow();
  hub.fault = undefined;
  expect((await ask(`team/wrong/blobs/${digest}`)).bytes).toEqual(Uint8Array.from(bytes));
});

const answering =
  (status: number, headers: Record<string, string> = {}): ImageFault =>
  (_, response) => {
    response.writeHead(status, headers).end();
    return true;
  };
const FAULTS: readonly (readonly [string, ImageFault])[] = [
  ["503", answering(503)],
  ["403", answering(403)],
  ["401", answering(401)],
  ["401 of a token service that is out", answering(401, { "www-authenticate": "" })],
  [
    "a page for people",
    (_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      return true;
    },
  ],
  [
    "a reset",
    (_, response) => {
      response.destroy();
      return true;
    },
  ],
  [
    "redirects without an end",
    (request, response) => {
      response.writeHead(302, { location: `${request.url}a` }).end();
      return true;
    },
  ],
];

test.each(FAULTS)("serves a kept tag and answers 503 for another one during %s", async (what, fault) => {
  const name = `fault/${what.replaceAll(/[^a-z0-9]+/g, "-")}`;
  const source = cleanUp.use(await openScriptedImages());
  await putSource(`s-${name.slice(6)}`, source.url, { allow: [name], deny: [] });
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const image = imageOf(name);
  source.put(name, image, "1.0");
  expect((await ask(`${name}/manifests/1.0`)).status).toBe(200);
  source.fault = fault;
  expect(await ask(`${name}/manifests/2.0`)).toMatchObject({ status: 503 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await ask(`${name}/manifests/1.0`);
  const stale = await ask(`${name}/manifests/1.0`);
  expect(stale.status).toBe(200);
  expect(stale.headers.get("docker-content-digest")).toBe(image.digest);
  expect(stale.headers.get("warning")).toMatch(/^110 /);
  expect(stale.headers.get("x-sealhouse-stale")).toMatch(/^s-.*; since=2/);
});
