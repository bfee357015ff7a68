import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { TestBlob, TestManifest } from "../../testing/build-image.ts";
import { OCI_MANIFEST, buildImage, buildIndex } from "../../testing/build-image.ts";
import type { OciClient } from "../client.ts";
import { fallbackTagOf } from "../../attached-tag.ts";
import type { MemoryRegistryOptions } from "../memory-registry.test.support.ts";
import { openMemoryRegistry } from "../memory-registry.test.support.ts";
import type { CopierOptions } from "./copier.ts";
import { createCopier } from "./copier.ts";
import { CopyError } from "./copied.ts";
import type { ImageSource } from "./ports.ts";
import { registrySource } from "./registry-source.ts";
import { registryTarget } from "./registry-target.ts";

async function push(client: OciClient, image: TestManifest, reference = image.digest as string) {
  const place = client.repository("team/app");
  for (const { digest, bytes } of image.blobs) {
    await place.pushBlob({ digest, size: bytes.length, read: () => readOf({ digest, bytes }) });
  }
  await place.putManifest(reference, image);
}

async function* readOf({ bytes }: TestBlob) {
  yield bytes;
}

function pair(target: MemoryRegistryOptions = {}, options: CopierOptions = {}) {
  const from = openMemoryRegistry({ host: "source.test" });
  const to = openMemoryRegistry({ host: "target.test", ...target });
  const open = () =>
    createCopier(
      registrySource(from.client, "team/app"),
      registryTarget(to.client, "mirror/app"),
      options,
    );
  return { from, to, open, place: to.client.repository("mirror/app") };
}

/** Two platforms, with a signature of one and an SBOM of that signature. */
async function pushSigned(client: OciClient) {
  const images = ["amd64", "arm64"].map((config) =>
    buildImage({ config, layers: [randomBytes(300), "shared"] }),
  );
  for (const image of images) await push(client, image);
  const index = buildIndex(images);
  await push(client, index, "1.0");
  const [first] = images;
  const artifactType = "application/vnd.example.signature";
  const signature = buildImage({ artifactType, ...(first && { subject: first.descriptor }) });
  await push(client, signature);
  const sbom = buildImage({ subject: signature.descriptor, layers: ["sbom"] });
  await push(client, sbom);
  return { images, index, signature, sbom };
}

/** Writes to the target. */
function writesOf({ seen }: ReturnType<typeof openMemoryRegistry>) {
  return seen.filter(({ method }) => method === "PUT").map(({ target }) => target);
}

test("copies children before parents, then what refers to them, and the tag last", async () => {
  const { from, to, open, place } = pair();
  const { images, index, signature, sbom } = await pushSigned(from.client);
  const report = await open().copy("1.0", ["1.0", "latest"]);
  expect(report.digest).toBe(index.digest);
  const written = writesOf(to)
    .filter((target) => target.includes("/manifests/"))
    .map((target) => target.split("/").at(-1));
  const [first, second] = images.map(({ digest }) => digest);
  const expected = [first, second, index.digest, signature.digest, sbom.digest, "1.0", "latest"];
  expect(written).toEqual(expected);
  expect((await place.findManifest("latest"))?.digest).toBe(index.digest);
  expect((await place.referrers(signature.digest)).map(({ digest }) => digest)).toEqual([
    sbom.digest,
  ]);
  const moved = report.items.filter(({ outcome }) => outcome === "moved");
  expect(moved.reduce((sum, { size }) => sum + size, 0)).toBe(report.bytes.moved);
  expect(report.bytes.skipped).toBe(0);
  // The shared layer went once.
  expect(writesOf(to).filter((target) => target.includes("/uploads/"))).toHaveLength(8);
});

test("a repeated copy moves nothing", async () => {
  const { from, to, open } = pair();
  await pushSigned(from.client);
  await open().copy("1.0", ["1.0"]);
  const before = writesOf(to).length;
  const report = await open().copy("1.0", ["1.0"]);
  expect(writesOf(to)).toHaveLength(before);
  expect(report.bytes).toMatchObject({ moved: 0, mounted: 0 });
  expect(report.items.every(({ outcome }) => outcome === "skipped")).toBe(true);
});

test("a repeated copy brings what was signed since", async () => {
  const { from, open, place } = pair();
  const { images } = await pushSigned(from.client);
  await open().copy("1.0", ["1.0"]);
  const [, second] = images;
  const late = buildImage({ layers: ["late"], ...(second && { subject: second.descriptor }) });
  await push(from.client, late);
  await open().copy("1.0", ["1.0"]);
  expect(await place.findManifest(late.digest)).toBeDefined();
});

test("the next copy completes an interrupted one", async () => {
  let isBroken = true;
  const { from, to, open, place } = pair({
    instead: ({ method, url }) =>
      isBroken && method === "PUT" && url.includes("/manifests/sha256")
        ? new Response(null, { status: 400 })
        : undefined,
  });
  const { index } = await pushSigned(from.client);
  const copier = open();
  await expect(copier.copy("1.0", ["1.0"])).rejects.toMatchObject({ code: "status" });
  expect(await place.findManifest("1.0")).toBeUndefined();
  isBroken = false;
  const before = writesOf(to).filter((target) => target.includes("/uploads/")).length;
  await copier.copy("1.0", ["1.0"]);
  expect((await place.findManifest("1.0"))?.digest).toBe(index.digest);
  const uploads = writesOf(to).filter((target) => target.includes("/uploads/")).length;
  expect(before).toBe(3);
  expect(uploads).toBe(8);
});

test("within one registry it mounts", async () => {
  const { client, seen } = openMemoryRegistry();
  await pushSigned(client);
  const before = seen.length;
  const copier = createCopier(
    registrySource(client, "team/app"),
    registryTarget(client, "other/app"),
  );
  const { bytes } = await copier.copy("1.0", ["1.0"]);
  expect(bytes.mounted).toBeGreaterThan(600);
  expect(seen.slice(before).some(({ target }) => target.includes("digest="))).toBe(false);
});

/** As a registry that knows no referrers: no API, no header. */
const withoutReferrers: MemoryRegistryOptions = {
  instead: ({ url }) =>
    url.includes("/referrers/") ? new Response("404 page not found", { status: 404 }) : undefined,
  after(_, answer) {
    answer.headers.delete("oci-subject");
    return answer;
  },
};

test("a target without referrers gets the index that clients look for", async () => {
  const { from, open, place } = pair(withoutReferrers);
  const { images, signature, sbom } = await pushSigned(from.client);
  const [first] = images;
  const subject = first?.digest ?? signature.digest;
  const annotations = { "org.example": "second" };
  const second = buildImage({ annotations, ...(first && { subject: first.descriptor }) });
  await push(from.client, second);
  await open().copy("1.0", ["1.0"]);
  await open().copy("1.0", ["1.0"]);
  const index = await place.manifest(fallbackTagOf(subject));
  const { manifests } = JSON.parse(Buffer.from(index?.bytes ?? []).toString()) as {
    manifests: unknown[];
  };
  expect(manifests).toHaveLength(2);
  expect(manifests).toContainEqual({
    mediaType: OCI_MANIFEST,
    digest: signature.digest,
    size: signature.bytes.length,
    artifactType: "application/vnd.example.signature",
  });
  expect(manifests).toContainEqual(expect.objectContaining({ annotations }));
  const ofSignature = await place.referrers(signature.digest);
  expect(ofSignature.map(({ digest }) => digest)).toEqual([sbom.digest]);
});

test("reads an index again when it was changed concurrently", async () => {
  const seen: (string | null)[] = [];
  const { from, open, place } = pair({
    ...withoutReferrers,
    instead(request, count) {
      if (request.method === "PUT" && /manifests\/sha256-/.test(request.url)) {
        seen.push(request.headers.get("if-match"));
        // As if the writer before us had been faster.
        if (count === 1) return new Response(null, { status: 412 });
      }
      return withoutReferrers.instead?.(request, count);
    },
  });
  const subject = buildImage();
  await push(from.client, subject, "1");
  const referrers = ["a", "b"].map((layer) =>
    buildImage({ layers: [layer], subject: subject.descriptor }),
  );
  for (const referrer of referrers) await push(from.client, referrer);
  await open().copy("1", ["1"]);
  expect(await place.referrers(subject.digest)).toHaveLength(2);
  expect(seen).toHaveLength(3);
  expect(seen[0]).toBeNull();
  expect(seen[1]).toMatch(/^"sha256:/);
});

test("lists five signatures, though another writer overwrites the index now and then", async () => {
  let writes = 0;
  const { from, open, place } = pair({
    ...withoutReferrers,
    instead(request, count) {
      const isIndex = request.method === "PUT" && /manifests\/sha256-/.test(request.url);
      writes += isIndex ? 1 : 0;
      // As distribution 2.8, which takes both writes, whatever `If-Match` says.
      if (isIndex && writes % 3 === 0) return new Response(null, { status: 201 });
      return withoutReferrers.instead?.(request, count);
    },
  });
  const subject = buildImage();
  await push(from.client, subject, "1");
  const signatures = ["a", "b", "c", "d", "e"].map((layer) =>
    buildImage({ layers: [layer], subject: subject.descriptor }),
  );
  for (const signature of signatures) await push(from.client, signature);
  await open().copy("1", ["1"]);
  const found = (await place.referrers(subject.digest)).map(({ digest }) => digest);
  expect(found.toSorted()).toEqual(signatures.map(({ digest }) => digest).toSorted());
  expect(writes).toBe(7);
});

test("copies cosign's signatures and attestations of an image", async () => {
  const { from, open, place } = pair();
  const image = buildImage();
  await push(from.client, image, "1");
  const signature = buildImage({ layers: ["signature"] });
  await push(from.client, signature, `${image.digest.replace(":", "-")}.sig`);
  await open().copy("1", ["1"]);
  const tags = await Array.fromAsync(place.tags());
  expect(tags).toEqual(["1", `${image.digest.replace(":", "-")}.sig`]);
});

test("leaves foreign layers where they are", async () => {
  const { from, open, place } = pair();
  const foreign = {
    mediaType: "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
    digest: `sha256:${"a".repeat(64)}`,
    size: 10,
  };
  const image = buildImage({ layers: [], fields: { layers: [foreign] } });
  await push(from.client, image, "1");
  const { items } = await open().copy("1", ["1"]);
  expect(items).toContainEqual({
    kind: "blob",
    digest: foreign.digest,
    size: 10,
    outcome: "foreign",
  });
  expect(await place.findManifest("1")).toBeDefined();
});

test.each(["keep", "fail", "move"] as const)("a tag that is taken: %s", async (takenTags) => {
  const { from, open, place } = pair({}, { takenTags });
  await push(from.client, buildImage({ layers: ["old"] }), "1");
  const old = await open().copy("1", ["1"]);
  const fresh = buildImage({ layers: ["new"] });
  await push(from.client, fresh, "1");
  const again = open().copy("1", ["1"]);
  if (takenTags === "fail") await expect(again).rejects.toMatchObject({ code: "tag-taken" });
  else await again;
  const expected = takenTags === "move" ? fresh.digest : old.digest;
  expect((await place.findManifest("1"))?.digest).toBe(expected);
});

test("names the missing parts of an incomplete image", async () => {
  const { from, open, place } = pair();
  const image = buildImage({ layers: [randomBytes(10)] });
  await push(from.client, image, "1");
  const layer = image.blobs[1]?.digest ?? image.digest;
  const source = registrySource(from.client, "team/app");
  const holed: ImageSource = {
    ...source,
    blob: async (descriptor, options) =>
      descriptor.digest === layer ? undefined : source.blob(descriptor, options),
  };
  const error: unknown = await createCopier(holed, registryTarget(from.client, "x"))
    .copy("1", ["1"])
    .catch((thrown: unknown) => thrown);
  // Within a registry nothing is read: it mounts.
  expect(error).not.toBeInstanceOf(CopyError);
  const { home: _, ...elsewhere } = holed;
  const away = createCopier(elsewhere, registryTarget(from.client, "y"));
  await expect(away.copy("1", ["1"])).rejects.toMatchObject({
    code: "incomplete",
    message: expect.stringContaining(layer),
  });
  await expect(open().copy("2", ["2"])).rejects.toMatchObject({ code: "absent" });
  expect(await place.findManifest("1")).toBeUndefined();
});

test("renews a token that expires during the copy, and waits for a busy target", async () => {
  const owner = { name: "owner", password: "secret", may: () => true };
  let calls = 0;
  const { from, to, open, place } = pair({
    identities: [owner],
    credentials: { type: "basic", username: "owner", password: "secret" },
    instead({ url }) {
      if (!url.includes("/v2/")) return undefined;
      calls += 1;
      const challenge = 'Bearer realm="https://target.test/token",service="target.test"';
      const headers = { "www-authenticate": challenge };
      if (calls === 9) return new Response(null, { status: 401, headers });
      return calls === 14 ? new Response(null, { status: 429 }) : undefined;
    },
  });
  const { index } = await pushSigned(from.client);
  await open().copy("1.0", ["1.0"]);
  expect((await place.findManifest("1.0"))?.digest).toBe(index.digest);
  expect(to.waits).toEqual([500]);
});
