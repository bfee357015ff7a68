import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openScriptedImages } from "../../testing/scripted-images.ts";
import type { ScriptedImages } from "../../testing/scripted-images.ts";
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

test("pulls an image by tag and digest once, and keeps it", async () => {
  const image = imageOf("kept");
  const layer = layerOf(image);
  hub.put("team/kept", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  const head = await mirror.ask("team/kept/manifests/1.0", { method: "HEAD" });
  expect(head.digest).toBe(image.digest);
  const unread = await mirror.ask(`team/kept/blobs/${layer.digest}`, { method: "HEAD" });
  expect(unread.headers.get("content-length")).toBe(String(layer.bytes.length));
  expect(hub.requests).not.toContain(`GET /v2/team/kept/blobs/${layer.digest}`);
  for (let time = 0; time < 2; time += 1) {
    expect((await mirror.ask("team/kept/manifests/1.0")).bytes).toEqual(
      Uint8Array.from(image.bytes),
    );
    const blob = await mirror.ask(`team/kept/blobs/${layer.digest}`);
    expect(blob.bytes).toEqual(Uint8Array.from(layer.bytes));
  }
  expect((await mirror.ask(`team/kept/manifests/${image.digest}`)).status).toBe(200);
  expect(hub.requests.filter((line) => line.startsWith("GET"))).toHaveLength(2);
  await hub.stop();
  mirror.pass(HOUR_MS);
  expect((await mirror.ask(`team/kept/manifests/${image.digest}`)).status).toBe(200);
  expect((await mirror.ask(`team/kept/blobs/${layer.digest}`)).status).toBe(200);
});

test("twenty clients cause one request for each part", async () => {
  const image = imageOf("many", 1_000_000);
  hub.put("team/many", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  const paths = ["manifests/1.0", `blobs/${layerOf(image).digest}`];
  for (const path of paths) {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => mirror.ask(`team/many/${path}`)),
    );
    expect(new Set(all.map(({ status, bytes }) => `${status} ${bytes.length}`)).size).toBe(1);
  }
  expect(hub.requests).toEqual(paths.map((path) => `GET /v2/team/many/${path}`));
});

test("asks for blobs only of repositories with a manifest here", async () => {
  const image = imageOf("apart");
  hub.put("team/apart", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  const path = `team/apart/blobs/${layerOf(image).digest}`;
  expect((await mirror.ask(path, { headers: WRITER })).status).toBe(404);
  expect(hub.requests).toEqual([]);
});

test("links a blob of another repository after a question to the source", async () => {
  const image = imageOf("shared");
  for (const name of ["team/one", "team/two"]) hub.put(name, image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  const { digest } = layerOf(image);
  for (const name of ["team/one", "team/two"]) {
    await mirror.ask(`${name}/manifests/1.0`);
    expect((await mirror.ask(`${name}/blobs/${digest}`)).status).toBe(200);
  }
  expect(hub.requests).not.toContain(`GET /v2/team/two/blobs/${digest}`);
  expect(hub.requests).toContain(`HEAD /v2/team/two/blobs/${digest}`);
});

test.each([
  [["linux"], [200, 404, 200]],
  [[], [200, 200, 200]],
  [["windows"], [404, 200, 200]],
])("of an index with AllowedOs %j, the images answer %j", async (allowedOs, expected) => {
  const [linux, windows, attestation] = [imageOf("l"), imageOf("w"), imageOf("a")];
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
  await using mirror = openImageMirror([imageSource(hub)], {
    surfaces: { allowedOs: () => allowedOs },
  });
  const whole = await mirror.ask("team/multi/manifests/1.0");
  expect(whole.bytes).toEqual(Uint8Array.from(index.bytes));
  const statuses = [];
  for (const { digest } of [linux, windows, attestation]) {
    statuses.push((await mirror.ask(`team/multi/manifests/${digest}`)).status);
  }
  expect(statuses).toEqual(expected);
});

test("refuses pushes to mirrored repositories, and mirrors no pushed ones", async () => {
  const image = imageOf("mine");
  hub.put("team/theirs", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)]);
  expect((await mirror.ask("team/theirs/manifests/1.0")).status).toBe(200);
  const own = buildIndex([]);
  const { digest } = layerOf(image);
  const upload = { method: "POST", headers: WRITER };
  for (const { status, text } of [
    await mirror.push("team/theirs", "2.0", own),
    await mirror.ask("team/theirs/blobs/uploads/", upload),
    await mirror.ask(`team/theirs/blobs/uploads/?mount=${digest}&from=team/other`, upload),
  ]) {
    expect(status).toBe(403);
    expect(text).toMatch(/"DENIED".*source \\"hub\\".*sealhouse source release oci team\/theirs/);
  }
  hub.put("team/mine", image, "1.0");
  expect((await mirror.push("team/mine", "2.0", own)).status).toBe(201);
  hub.requests.length = 0;
  mirror.pass(HOUR_MS);
  for (const path of ["manifests/1.0", `manifests/${image.digest}`, `blobs/${digest}`]) {
    expect((await mirror.ask(`team/mine/${path}`)).status).toBe(404);
  }
  expect((await mirror.ask("team/mine/tags/list")).text).toContain('["2.0"]');
  await mirror.ask(`team/mine/referrers/${image.digest}`);
  expect(hub.requests).toEqual([]);
});

test("a released name takes pushes, and no more from its source", async () => {
  hub.put("team/theirs", imageOf("theirs"), "1.0", "1.1");
  await using mirror = openImageMirror([imageSource(hub)]);
  expect((await mirror.ask("team/theirs/manifests/1.0")).status).toBe(200);
  await mirror.parts.origins.release("oci", "team/theirs", { actor: "ada" });
  mirror.pass(HOUR_MS);
  expect((await mirror.push("team/theirs", "2.0", buildIndex([]))).status).toBe(201);
  hub.requests.length = 0;
  expect((await mirror.ask("team/theirs/manifests/1.1")).status).toBe(404);
  expect((await mirror.ask("team/theirs/manifests/1.0")).status).toBe(200);
  expect(hub.requests).toEqual([]);
});

test("refuses pushes below the name of a source's registry without a reservation", async () => {
  await using mirror = openImageMirror([imageSource(hub, { name: "acme" })]);
  const name = `${new URL(hub.url).host.replace(":", "-")}/library/planted`;
  const refused = [
    await mirror.push(name, "1", buildIndex([])),
    await mirror.ask(`${name}/blobs/uploads/`, { method: "POST", headers: WRITER }),
  ];
  for (const { status, text } of refused) {
    expect(status).toBe(403);
    expect(text).toContain(`sealhouse source reserve oci ${name}`);
  }
  await mirror.parts.origins.reserve("oci", name, { actor: "ada" });
  expect((await mirror.push(name, "1", buildIndex([]))).status).toBe(201);
});

test("takes the repository of the registry that ns names", async () => {
  const image = imageOf("named");
  hub.put("library/named", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub, { surface: "shown" })], {
    surfaces: { segments: ["shown"] },
  });
  const { host } = new URL(hub.url);
  const at = (ns: string) => mirror.ask(`shown/library/named/manifests/1.0?ns=${ns}`);
  const found = await at(host);
  expect([found.headers.get("oci-namespace"), found.digest]).toEqual([host, image.digest]);
  expect((await at("unknown.example")).status).toBe(404);
  const prefix = host.replace(":", "-");
  const path = `shown/${prefix}/library/named/manifests/1.0`;
  expect((await mirror.ask(path)).status).toBe(200);
  // The source is for the segment only.
  expect((await mirror.ask("library/named/manifests/1.0")).status).not.toBe(200);
});

test.each([
  ["IndexAndCache", true, []],
  ["IndexAndCache", false, ["team/theirs"]],
  ["CacheOnly", true, ["team/theirs"]],
] as const)("with %s and IncludeMirrored %s, the catalog omits %j", async (...row) => {
  const [strategy, shows, expected] = row;
  hub.put("team/theirs", imageOf("theirs"), "1.0");
  await using mirror = openImageMirror([imageSource(hub, { strategy })], {
    surfaces: { showsMirrored: () => shows },
  });
  await mirror.ask("team/theirs/manifests/1.0");
  await mirror.push("team/ours", "1.0", buildIndex([]));
  const names = ["team/theirs", "team/ours"].map(parseRepositoryName);
  expect([...(await mirror.mirrored.sources.hidden(names))]).toEqual(expected);
});

test("passes tag lists through, page by page", async () => {
  const image = imageOf("tagged");
  hub.put("team/tagged", image, "1.0", "1.1", "b-2", "_x");
  await using mirror = openImageMirror([imageSource(hub)]);
  const first = await mirror.ask("team/tagged/tags/list?n=1");
  expect(JSON.parse(first.text)).toEqual({ name: "team/tagged", tags: ["1.0"] });
  expect(first.headers.get("link")).toContain("last=1.0");
  const rest = await mirror.ask("team/tagged/tags/list?last=1.0");
  expect(JSON.parse(rest.text)).toEqual({ name: "team/tagged", tags: ["1.1", "_x", "b-2"] });
  expect((await mirror.ask("team/never/tags/list")).status).toBe(401);
});

test("passes referrers through, by the type of the artifact and without strangers", async () => {
  const image = imageOf("signed");
  const attached = (artifactType: string): TestManifest => {
    const built = buildImage({ artifactType, subject: image.descriptor, layers: [artifactType] });
    return { ...built, descriptor: { ...built.descriptor, artifactType } };
  };
  const [signature, sbom] = [attached("application/x.sig"), attached("application/x.sbom")];
  const stranger = buildImage({ artifactType: "application/x.sig", layers: ["other"] });
  hub.put("team/signed", image, "1.0");
  for (const manifest of [signature, sbom, stranger]) hub.put("team/signed", manifest);
  const index = buildIndex([signature, sbom, stranger]);
  hub.put("team/signed", index, image.digest.replace(":", "-"));
  await using mirror = openImageMirror([imageSource(hub)]);
  const referrers = async (query = "") => {
    const { text } = await mirror.ask(`team/signed/referrers/${image.digest}${query}`);
    const { manifests } = JSON.parse(text) as { readonly manifests: readonly TestManifest[] };
    return manifests.map(({ digest }) => digest).toSorted();
  };
  expect(await referrers()).toEqual([signature.digest, sbom.digest].toSorted());
  expect(await referrers("?artifactType=application/x.sbom")).toEqual([sbom.digest]);
});

test("follows a tag that moves, and keeps the image before", async () => {
  const [first, second] = [imageOf("first"), imageOf("second")];
  hub.put("team/moving", first, "latest");
  await using mirror = openImageMirror([imageSource(hub)]);
  const digest = async () => (await mirror.ask("team/moving/manifests/latest")).digest;
  expect(await digest()).toBe(first.digest);
  hub.put("team/moving", second, "latest");
  expect(await digest()).toBe(first.digest);
  mirror.pass(HOUR_MS);
  expect(await digest()).toBe(second.digest);
  expect((await mirror.ask(`team/moving/manifests/${first.digest}`)).status).toBe(200);
});

test("an offline registry sends no request", async () => {
  const image = imageOf("offline");
  hub.put("team/offline", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub)], { isOffline: true });
  for (const path of ["manifests/1.0", `manifests/${image.digest}`, "tags/list"]) {
    expect((await mirror.ask(`team/offline/${path}`)).status).not.toBe(200);
  }
  expect(hub.requests).toEqual([]);
});

test.each([
  ["the registry takes", { maxBlobBytes: 1_000 }, {}],
  ["the source may send", {}, { maxFileBytes: 1_000 }],
])("refuses a layer that is larger than %s", async (_, options, settings) => {
  const image = imageOf("large");
  hub.put("team/large", image, "1.0");
  await using mirror = openImageMirror([imageSource(hub, { settings })], options);
  expect((await mirror.ask("team/large/manifests/1.0")).status).toBe(200);
  const { status, text } = await mirror.ask(`team/large/blobs/${layerOf(image).digest}`);
  expect([status, text]).toEqual([503, expect.stringContaining("more than 1000 bytes")]);
  const found = await mirror.catalog.blobs.find(
    parseRepositoryName("team/large"),
    layerOf(image).digest,
  );
  expect(found).toBeUndefined();
});

const statuses = (mirror: ReturnType<typeof openImageMirror>, paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => (await mirror.ask(path)).status));

test("hides, serves or denies a tag that its source has removed", async () => {
  const image = imageOf("removed");
  const names = ["hide", "keep", "deny"];
  const sources = (["Hide", "Keep", "Deny"] as const).map((onRemoved, index) => {
    const name = names[index] ?? "";
    hub.put(`${name}/app`, image, "1.0");
    const settings = { onRemoved, allow: [`${name}/**`], revalidateAfterMs: 60_000 };
    return imageSource(hub, { name, settings });
  });
  await using mirror = openImageMirror(sources);
  const tags = names.map((name) => `${name}/app/manifests/1.0`);
  const digests = names.map((name) => `${name}/app/manifests/${image.digest}`);
  expect(await statuses(mirror, tags)).toEqual([200, 200, 200]);
  hub.fault = (_, response) => {
    response.writeHead(404).end("{}");
    return true;
  };
  mirror.pass(60_000);
  // One denial may be an error of the source.
  expect(await statuses(mirror, tags)).toEqual([200, 200, 200]);
  mirror.pass(2 * HOUR_MS);
  expect(await statuses(mirror, tags)).toEqual([404, 200, 403]);
  const denied = await mirror.ask("deny/app/manifests/1.0");
  expect(denied.text).toMatch(/deny\/app 1\.0 was removed by the package source .*deny/);
  expect(await statuses(mirror, digests)).toEqual([200, 200, 200]);
});
