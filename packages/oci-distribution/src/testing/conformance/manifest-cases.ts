import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { digestOf } from "../../digest.ts";
import {
  DOCKER_LIST,
  DOCKER_MANIFEST,
  OCI_INDEX,
  OCI_MANIFEST,
  blobOf,
  buildImage,
  buildIndex,
  buildRaw,
  describe,
} from "../build-image.ts";
import type { ConformanceCase, Conversation } from "./conversation.ts";
import {
  bytesOf,
  errorsIn,
  expectAnswer,
  locationOf,
  pushBlob,
  pushImage,
  putManifest,
  unknownDigest,
} from "./conversation.ts";

const LIMIT = 4 * 1024 * 1024;
/** The specification leaves open which. */
const MISSING = [404, 400] as const;

async function expectManifest(
  registry: Conversation,
  path: string,
  { bytes, mediaType }: { readonly bytes: Uint8Array; readonly mediaType: string },
): Promise<Headers> {
  const response = await registry.send(path);
  assert.equal(response.status, 200, path);
  assert.equal(response.headers.get("content-type"), mediaType);
  assert.equal(response.headers.get("content-length"), String(bytes.length));
  assert.deepEqual(await bytesOf(response), Buffer.from(bytes));
  return response.headers;
}

export const manifestCases: readonly ConformanceCase[] = [
  {
    name: "takes a manifest by tag, by digest and again",
    covers: "H30",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      const byTag = await pushImage(registry, repository, image, "1.0");
      assert.equal(byTag.get("docker-content-digest"), image.digest);
      assert.equal(byTag.get("content-length"), "0");
      for (const reference of [image.digest, "1.0"]) {
        const again = await putManifest(registry, repository, image, reference);
        const headers = await expectAnswer(again, 201);
        assert.equal(headers.get("docker-content-digest"), image.digest);
        await expectManifest(registry, locationOf(headers), image);
      }
    },
  },
  {
    name: "answers HEAD of a manifest with exact length, type and digest",
    covers: "H27",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)], mediaType: DOCKER_MANIFEST });
      await pushImage(registry, repository, image, "latest");
      for (const reference of ["latest", image.digest]) {
        const path = `/v2/${repository}/manifests/${reference}`;
        const response = await registry.send(path, { method: "HEAD" });
        assert.equal(response.status, 200);
        assert.equal(response.headers.get("content-length"), String(image.bytes.length));
        assert.equal(response.headers.get("content-type"), DOCKER_MANIFEST);
        assert.equal(response.headers.get("docker-content-digest"), image.digest);
        assert.equal((await bytesOf(response)).length, 0);
      }
    },
  },
  {
    name: "serves the pushed type whatever Accept asks for",
    covers: "3.6",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image, "1");
      const path = `/v2/${repository}/manifests/1`;
      for (const accept of [`${DOCKER_MANIFEST}, ${OCI_MANIFEST}`, "*/*"]) {
        const response = await registry.send(path, { headers: { accept } });
        assert.equal(response.headers.get("content-type"), OCI_MANIFEST);
        assert.deepEqual(await bytesOf(response), Buffer.from(image.bytes));
      }
    },
  },
  {
    name: "takes a manifest by SHA-512 and answers in SHA-512",
    covers: "1.2/2",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      const digest = digestOf(image.bytes, "sha512");
      const headers = await pushImage(registry, repository, image, digest);
      assert.equal(headers.get("docker-content-digest"), digest);
      assert.ok(decodeURIComponent(locationOf(headers)).endsWith(digest));
      const served = await expectManifest(registry, locationOf(headers), image);
      assert.equal(served.get("docker-content-digest"), digest);
    },
  },
  {
    name: "sets the tags asked for beside a push by digest, and refuses too many",
    covers: "H31",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      const tags = Array.from({ length: 10 }, (_, n) => `tag-${n}`);
      const reference = `${image.digest}?${tags.map((tag) => `tag=${tag}`).join("&")}`;
      const headers = await pushImage(registry, repository, image, reference);
      const listed = (headers.get("oci-tag") ?? "").split(",").map((tag) => tag.trim());
      assert.deepEqual(listed.toSorted(), tags);
      await expectManifest(registry, `/v2/${repository}/manifests/tag-9`, image);
      const many = Array.from({ length: 101 }, (_, n) => `tag=many-${n}`).join("&");
      const refused = await putManifest(registry, repository, image, `${image.digest}?${many}`);
      await expectAnswer(refused, 414);
      const bad = await putManifest(registry, repository, image, `${image.digest}?tag=ok&tag=-bad`);
      await expectAnswer(bad, 400);
      const absent = await registry.send(`/v2/${repository}/manifests/ok`);
      assert.equal(absent.status, 404, "all of the tags or none");
    },
  },
  {
    name: "names every missing config, layer and child, and stores nothing",
    covers: "H32",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: ["a", "b"].map(() => randomBytes(20)), config: "{ }" });
      const response = await putManifest(registry, repository, image, "1");
      const text = await response.clone().text();
      await expectAnswer(response, MISSING, "MANIFEST_BLOB_UNKNOWN");
      const reported = JSON.stringify(errorsIn(text));
      for (const { digest } of image.blobs) assert.ok(reported.includes(digest), digest);
      assert.equal(errorsIn(text).length, 3, "one entry per missing blob");

      const child = buildImage({ layers: [randomBytes(20)] });
      const index = await putManifest(registry, repository, buildIndex([child]), "2");
      await expectAnswer(index, MISSING, "MANIFEST_BLOB_UNKNOWN");
      for (const tag of ["1", "2"]) {
        const path = `/v2/${repository}/manifests/${tag}`;
        await expectAnswer(await registry.send(path), 404, ["MANIFEST_UNKNOWN", "NAME_UNKNOWN"]);
      }
    },
  },
  {
    name: "does not take blobs of another repository for its own",
    covers: "H32",
    async run(registry) {
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, registry.repository("has-them"), image, "1");
      const response = await putManifest(registry, registry.repository("has-not"), image, "1");
      await expectAnswer(response, MISSING, "MANIFEST_BLOB_UNKNOWN");
    },
  },
  {
    name: "refuses a descriptor whose size is not the blob's",
    covers: "3.6",
    async run(registry) {
      const repository = registry.repository();
      const config = blobOf("{}");
      await pushBlob(registry, repository, config);
      const image = buildImage({
        layers: [],
        fields: { config: { ...describe("application/vnd.example.config", config), size: 3 } },
      });
      const response = await putManifest(registry, repository, image, "1");
      await expectAnswer(response, 400, "MANIFEST_INVALID");
    },
  },
  {
    name: "takes an image whose foreign layers and whose subject are missing",
    covers: "H33, 1.2/9, 1.2/13",
    async run(registry) {
      const repository = registry.repository();
      const foreign = [
        "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
        "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
      ].map((mediaType) => ({ mediaType, digest: unknownDigest(), size: 10 }));
      const image = buildImage({ layers: [], fields: { layers: foreign } });
      await pushImage(registry, repository, image, "foreign");
      const subject = { mediaType: OCI_MANIFEST, digest: unknownDigest(), size: 100 };
      const referrer = buildImage({ layers: [randomBytes(20)], subject });
      const ofImage = await pushImage(registry, repository, referrer);
      assert.equal(ofImage.get("oci-subject"), subject.digest);
      const index = await pushImage(registry, repository, buildIndex([], { subject }));
      assert.equal(index.get("oci-subject"), subject.digest);
    },
  },
  {
    name: "takes a manifest of four mebibytes exactly, and not a byte more",
    covers: "H34, 1.2/8",
    async run(registry) {
      const repository = registry.repository();
      const { bytes } = buildIndex([]);
      const padded = (size: number) =>
        buildRaw(OCI_INDEX, Buffer.concat([bytes, Buffer.alloc(size - bytes.length, " ")]));
      const largest = padded(LIMIT);
      await pushImage(registry, repository, largest, "largest");
      await expectManifest(registry, `/v2/${repository}/manifests/largest`, largest);
      const response = await putManifest(registry, repository, padded(LIMIT + 1), "larger");
      await expectAnswer(response, 413, ["MANIFEST_INVALID", "SIZE_INVALID"]);
    },
  },
  {
    name: "takes 390 annotations of 10,000 bytes",
    covers: "1.2/8",
    async run(registry) {
      const repository = registry.repository();
      const annotations = Object.fromEntries(
        Array.from({ length: 390 }, (_, n) => [`annotation-${n}`, "x".repeat(10_000)]),
      );
      const index = buildIndex([], { annotations });
      await pushImage(registry, repository, index, "1");
      await expectManifest(registry, `/v2/${repository}/manifests/1`, index);
    },
  },
  {
    name: "refuses what is no manifest, or could be two",
    covers: "H35",
    async run(registry) {
      const repository = registry.repository();
      await pushBlob(registry, repository, blobOf("{}"));
      const { bytes } = buildImage({ layers: [] });
      const text = Buffer.from(bytes).toString();
      const ambiguous = buildImage({ layers: [], fields: { manifests: [] } });
      const refused = [
        buildRaw(OCI_MANIFEST, "not JSON"),
        buildRaw(OCI_MANIFEST, "[]"),
        buildRaw(OCI_MANIFEST, `\uFEFF${text}`),
        buildRaw(OCI_MANIFEST, '{"schemaVersion":1,"name":"a","tag":"b","fsLayers":[]}'),
        buildRaw(DOCKER_MANIFEST, text),
        buildRaw("application/json", text),
        ambiguous,
        buildRaw(
          OCI_INDEX,
          Buffer.from(ambiguous.bytes).toString().replace(OCI_MANIFEST, OCI_INDEX),
        ),
      ];
      for (const manifest of refused) {
        const response = await putManifest(registry, repository, manifest, "1");
        await expectAnswer(response, 400, "MANIFEST_INVALID");
      }
    },
  },
  {
    name: "refuses bytes that do not have the digest, and digests that are none",
    covers: "H36, 1.2/10, 1.2/11",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image);
      const changed = { ...image, bytes: Buffer.concat([image.bytes, Buffer.from("  ")]) };
      const wrong = await putManifest(registry, repository, changed, image.digest);
      await expectAnswer(wrong, 400, "DIGEST_INVALID");
      const none = await putManifest(registry, repository, image, "sha256:baddigeststring");
      await expectAnswer(none, 400, "DIGEST_INVALID");
      const read = await registry.send(`/v2/${repository}/manifests/sha256:baddigeststring`);
      assert.ok([400, 404].includes(read.status));
      await expectAnswer(read, read.status, ["DIGEST_INVALID", "MANIFEST_UNKNOWN"]);
    },
  },
  {
    name: "answers 404 to reading a tag that no tag can be, and 400 to writing it",
    covers: "H36, 1.2/12",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image, "1");
      for (const tag of [".INVALID_MANIFEST_NAME", "a".repeat(129), "-", "%20"]) {
        const path = `/v2/${repository}/manifests/${tag}`;
        await expectAnswer(await registry.send(path), 404, "MANIFEST_UNKNOWN");
        assert.equal((await registry.send(path, { method: "HEAD" })).status, 404);
        const put = await putManifest(registry, repository, image, tag);
        await expectAnswer(put, 400, ["MANIFEST_INVALID", "NAME_INVALID"]);
      }
    },
  },
  {
    name: "keeps unknown fields, spaces and the order of keys, byte for byte",
    covers: "H37, 1.2/10, 1.2/18",
    async run(registry) {
      const repository = registry.repository();
      const config = blobOf("{}");
      await pushBlob(registry, repository, config);
      const data = Buffer.from("{}").toString("base64");
      const odd = buildRaw(
        OCI_MANIFEST,
        `\n{ "zebra": {"b": 1, "a": [2.50, "\\u00e4ä"]},\t"layers": [],  "schemaVersion": 2,
          "config": {"size": 2, "x-more": null, "data": "${data}", "digest": "${config.digest}",
            "mediaType": "application/vnd.example.config" }, "mediaType": "${OCI_MANIFEST}" }\n `,
      );
      const headers = await pushImage(registry, repository, odd, "odd");
      assert.equal(headers.get("docker-content-digest"), odd.digest);
      await expectManifest(registry, `/v2/${repository}/manifests/odd`, odd);
      await expectManifest(registry, `/v2/${repository}/manifests/${odd.digest}`, odd);
    },
  },
  {
    name: "takes nested and empty indexes, images without layers, artifacts and build caches",
    covers: "H38, 1.2/16",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      const docker = buildImage({ layers: [randomBytes(20)], mediaType: DOCKER_MANIFEST });
      const inner = buildIndex([image]);
      const cached = blobOf(randomBytes(30));
      await pushBlob(registry, repository, cached);
      const cacheEntry = describe("application/vnd.oci.image.layer.v1.tar+gzip", cached);
      const all = [
        image,
        docker,
        inner,
        buildIndex([inner, image]),
        buildIndex([docker], { mediaType: DOCKER_LIST }),
        buildIndex([]),
        buildImage({ layers: [] }),
        buildImage({
          artifactType: "application/vnd.example.sbom",
          configType: "application/vnd.oci.empty.v1+json",
          layers: ["{}"],
        }),
        buildIndex([], { fields: { manifests: [cacheEntry] } }),
      ];
      for (const [n, manifest] of all.entries()) {
        await pushImage(registry, repository, manifest, `case-${n}`);
        await expectManifest(registry, `/v2/${repository}/manifests/case-${n}`, manifest);
      }
    },
  },
];
