import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HOSTILE_ANSWERS } from "../../testing/hostile-answers.ts";
import { openScriptedImages } from "../../testing/scripted-images.ts";
import type { ImageFault, ScriptedImages } from "../../testing/scripted-images.ts";
import {
  imageOf,
  imageSource,
  layerOf,
  openImageMirror,
  WRITER,
} from "./image-mirror.test.support.ts";

const HOUR_MS = 60 * 60_000;
let hub: ScriptedImages;
beforeEach(async () => {
  hub = await openScriptedImages();
});
afterEach(() => hub[Symbol.asyncDispose]());

const answering =
  (status: number, headers: Record<string, string> = {}, body = ""): ImageFault =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
const cut: ImageFault = (_, response) => {
  response.destroy();
  return true;
};
const looping: ImageFault = (request, response) =>
  answering(302, { location: `${request.url}a` })(request, response);

/** Answers of sources that fail. A name that is not there may be the reason of a 401 alone. */
const FAULTS: readonly (readonly [string, ImageFault])[] = [
  ["503", answering(503)],
  ["403", answering(403)],
  ["401", answering(401)],
  ["401 of a token service that is out", answering(401, { "www-authenticate": "" })],
  ["a page for people", answering(200, { "content-type": "text/html" }, "<html>")],
  ["an empty answer", answering(200)],
  ["a list", answering(200, {}, "[]")],
  ["a reset", cut],
  ["redirects without an end", looping],
];

test.each(FAULTS)("serves a kept tag, and 503 for another one, during %s", async (_, fault) => {
  const image = imageOf("fault");
  hub.put("fault/app", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub, { name: "faulty" })]);
  expect((await mirror.ask("fault/app/manifests/1.0")).status).toBe(200);
  hub.fault = fault;
  const uncached = await mirror.ask("fault/app/manifests/2.0");
  expect(uncached.status).toBe(503);
  expect(Number(uncached.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(uncached.text).not.toContain("127.0.0.1");
  mirror.pass(HOUR_MS);
  const stale = await mirror.ask("fault/app/manifests/1.0");
  expect([stale.status, stale.digest]).toEqual([200, image.digest]);
  expect(stale.headers.get("warning")).toMatch(/^110 /);
  expect(stale.headers.get("x-sealhouse-stale")).toMatch(/^faulty; since=2/);
});

test("takes 401 for an absent image only where the source answers for other names", async () => {
  hub.put("private/app", imageOf("app"), "1.0");
  hub.fault = (request, response) =>
    request.url?.includes("/private/none/") === true && answering(401)(request, response);
  await using mirror = openImageMirror([imageSource(hub)]);
  const statusOf = async (name: string) => (await mirror.ask(`${name}/manifests/1.0`)).status;
  expect(await statusOf("private/none")).toBe(503);
  expect(await statusOf("private/app")).toBe(200);
  mirror.pass(10_000);
  // Here, too, an absent image is a challenge for a caller without credentials.
  expect(await statusOf("private/none")).toBe(401);
  mirror.pass(HOUR_MS);
  expect(await statusOf("private/none")).toBe(503);
});

test("serves the older image while the source cannot send the new one of a tag", async () => {
  const [before, after] = [imageOf("before"), imageOf("after")];
  hub.put("moved", before, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  expect((await mirror.ask("moved/manifests/1.0")).digest).toBe(before.digest);
  hub.put("moved", after, "1.0");
  hub.fault = (request, response) => request.method === "GET" && answering(503)(request, response);
  mirror.pass(HOUR_MS);
  const stale = await mirror.ask("moved/manifests/1.0");
  expect([stale.digest, stale.headers.has("x-sealhouse-stale")]).toEqual([before.digest, true]);
  hub.fault = undefined;
  mirror.pass(HOUR_MS);
  expect((await mirror.ask("moved/manifests/1.0")).digest).toBe(after.digest);
});

test("lists the referrers of an image before its first pull, or answers 503", async () => {
  const image = imageOf("signed");
  const signature = buildImage({ subject: image.descriptor, layers: [] });
  hub.put("signed/app", image);
  hub.put("signed/app", signature);
  hub.put("signed/app", buildIndex([signature]), image.digest.replace(":", "-"));
  await using mirror = openImageMirror([imageSource(hub)]);
  const referrers = (name: string) => mirror.ask(`${name}/referrers/${image.digest}`);
  expect((await referrers("signed/app")).text).toContain(signature.digest);
  expect((await referrers("signed/none")).status).toBe(401);
  hub.fault = answering(503);
  expect((await referrers("signed/unseen")).status).toBe(503);
  mirror.pass(HOUR_MS);
  // The list is kept.
  expect((await referrers("signed/app")).text).toContain(signature.digest);
});

test.each([
  ["a reset", cut],
  ["a pause", answering(429, { "retry-after": "60" })],
])("takes pushes to new repositories during %s", async (_, fault) => {
  hub.fault = fault;
  await using mirror = openImageMirror([imageSource(hub)]);
  const { digest } = imageOf("new");
  for (const path of ["manifests/1.0", `manifests/${digest}`, "tags/list"]) {
    for (const method of ["HEAD", "GET"]) {
      const anonymous = await mirror.ask(`new/app/${path}`, { method });
      const writer = await mirror.ask(`new/app/${path}`, { method, headers: WRITER });
      expect([path, anonymous.status, writer.status]).toEqual([path, 503, 404]);
    }
  }
  const referrers = await mirror.ask(`new/app/referrers/${digest}`, { headers: WRITER });
  expect(JSON.parse(referrers.text)).toMatchObject({ manifests: [] });
  expect((await mirror.push("new/app", "1.0", buildIndex([]))).status).toBe(201);
  expect((await mirror.ask("new/app/manifests/1.0")).status).toBe(200);
});

test("a pause for new names does not hold up the images of known ones", async () => {
  const image = imageOf("known");
  hub.put("team/known", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  expect((await mirror.ask("team/known/manifests/1.0")).status).toBe(200);
  hub.fault = (request, response) =>
    request.url?.includes("/guess") === true &&
    answering(429, { "retry-after": "600" })(request, response);
  expect((await mirror.ask("team/guess/manifests/1.0")).status).toBe(503);
  const { digest } = layerOf(image);
  expect((await mirror.ask(`team/known/blobs/${digest}`)).status).toBe(200);
  mirror.pass(HOUR_MS);
  expect((await mirror.ask("team/known/manifests/1.0")).status).toBe(200);
});

test("cuts off wrong bytes, and links nothing", async () => {
  const image = imageOf("wrong");
  const { digest, bytes } = layerOf(image);
  hub.put("team/wrong", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  await mirror.ask("team/wrong/manifests/1.0");
  const other = Uint8Array.from(bytes);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  for (const sent of [other, other.subarray(0, 10), other.subarray(0, 0)]) {
    hub.fault = (request, response) => {
      if (request.url !== `/v2/team/wrong/blobs/${digest}`) return false;
      response.writeHead(200, { "content-length": sent.length }).end(sent);
      return true;
    };
    const answer = await mirror.ask(`team/wrong/blobs/${digest}`).catch(() => ({ status: 0 }));
    expect([0, 503]).toContain(answer.status);
    expect(await mirror.catalog.blobs.isKnown(digest)).toBe(false);
  }
  hub.fault = undefined;
  mirror.pass(HOUR_MS);
  const right = await mirror.ask(`team/wrong/blobs/${digest}`);
  expect(right.bytes).toEqual(Uint8Array.from(bytes));
});

test("names no manifest with another digest, and serves one with a wrong type", async () => {
  const [told, sent] = [imageOf("told"), imageOf("sent")];
  hub.put("team/app", sent, "1.0");
  const sending =
    (headers: Record<string, string>): ImageFault =>
    ({ url, method }, response) => {
      if (url?.startsWith("/v2/team/app/manifests/") !== true) return false;
      response.writeHead(200, headers).end(method === "HEAD" ? undefined : sent.bytes);
      return true;
    };
  hub.fault = sending({ "docker-content-digest": told.digest, "content-type": told.mediaType });
  await using mirror = openImageMirror([imageSource(hub)]);
  expect((await mirror.ask("team/app/manifests/1.0")).status).toBe(503);
  expect(mirror.catalog.events).toEqual([]);
  hub.fault = sending({ "content-type": "text/plain" });
  mirror.pass(HOUR_MS);
  const manifest = await mirror.ask("team/app/manifests/1.0");
  expect([manifest.status, manifest.digest]).toEqual([200, sent.digest]);
  expect(manifest.headers.get("content-type")).toBe(sent.mediaType);
});

test.each([
  ["names a layer twice with other sizes", { layers: [{ size: 1 }, { size: 2 }] }],
  ["has a digest of another form", { config: { digest: "sha256:x" } }],
  ["has no list of layers", { layers: {} }],
  ["has a size that is no number", { config: { size: "1" } }],
])("takes no manifest that %s", async (_, fields) => {
  const image = imageOf("odd");
  const document = JSON.parse(Buffer.from(image.bytes).toString()) as Record<string, unknown>;
  const { config } = document as { config: object };
  const changed = {
    ...document,
    ...fields,
    ...("config" in fields && { config: { ...config, ...fields.config } }),
  };
  const body = JSON.stringify(changed);
  hub.put("team/odd", image, "1.0");
  hub.fault = (request, response) =>
    request.url?.includes("/manifests/") === true &&
    answering(200, { "content-type": image.mediaType }, body)(request, response);
  await using mirror = openImageMirror([imageSource(hub)]);
  expect((await mirror.ask("team/odd/manifests/1.0")).status).toBe(503);
  expect(mirror.catalog.events).toEqual([]);
});

const ENDING = ["bomb", "cut", "empty", "no-content", "page", "unasked-304"];

test.each(ENDING)("refuses the hostile manifest %s, and the same as a layer", async (name) => {
  const image = imageOf("attacked");
  const { digest } = layerOf(image);
  const hostile = HOSTILE_ANSWERS[name] ?? expect.unreachable();
  const settings = { maxDocumentBytes: 1024 * 1024, maxFileBytes: 1024 * 1024 };
  hub.put("team/app", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub, { settings })]);
  const attack = (path: string) => {
    hub.fault = (request, response) => {
      if (request.url !== `/v2/team/app/${path}`) return false;
      hostile(request, response);
      return true;
    };
  };
  attack("manifests/1.0");
  expect((await mirror.ask("team/app/manifests/1.0")).status).toBe(503);
  hub.fault = undefined;
  mirror.pass(HOUR_MS);
  expect((await mirror.ask("team/app/manifests/1.0")).status).toBe(200);
  attack(`blobs/${digest}`);
  const { status } = await mirror
    .ask(`team/app/blobs/${digest}`)
    .catch(() => ({ status: "cut" as const }));
  expect(status).not.toBe(200);
  expect(await mirror.catalog.blobs.isKnown(digest)).toBe(false);
});
