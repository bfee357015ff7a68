import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { blobOf, buildImage } from "../build-image.ts";
import type { ConformanceCase, Conversation } from "./conversation.ts";
import { expectAnswer, pushBlob, pushImage, putManifest } from "./conversation.ts";

const remove = { method: "DELETE" } as const;

async function statusOf(registry: Conversation, path: string): Promise<number> {
  return (await registry.send(path, { method: "HEAD" })).status;
}

export const deletionCases: readonly ConformanceCase[] = [
  {
    name: "deletes a tag at once and keeps its manifest",
    covers: "H47, 1.2/19",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image, "1");
      await putManifest(registry, repository, image, "2");
      const path = `/v2/${repository}/manifests/1`;
      const headers = await expectAnswer(await registry.send(path, remove), 202);
      assert.equal(headers.get("content-length"), "0");
      assert.equal(await statusOf(registry, path), 404);
      assert.equal(await statusOf(registry, `/v2/${repository}/manifests/2`), 200);
      assert.equal(await statusOf(registry, `/v2/${repository}/manifests/${image.digest}`), 200);
      await expectAnswer(await registry.send(path, remove), 404, "MANIFEST_UNKNOWN");
    },
  },
  {
    name: "deletes a manifest at once, with its tags, in one repository only",
    covers: "H47, 1.2/19",
    async run(registry) {
      const repository = registry.repository();
      const other = registry.repository("other");
      const image = buildImage({ layers: [randomBytes(20)] });
      for (const name of [repository, other]) await pushImage(registry, name, image, "1");
      const path = `/v2/${repository}/manifests/${image.digest}`;
      await expectAnswer(await registry.send(path, remove), 202);
      assert.equal(await statusOf(registry, path), 404);
      assert.equal(await statusOf(registry, `/v2/${repository}/manifests/1`), 404);
      // Registries differ about a repository without manifests: unknown, or without tags.
      const tags = await registry.send(`/v2/${repository}/tags/list`);
      const list: unknown = await tags.json();
      if (tags.status !== 404) assert.deepEqual(list, { name: repository, tags: [] });
      await expectAnswer(await registry.send(path, remove), 404, "MANIFEST_UNKNOWN");
      assert.equal(await statusOf(registry, `/v2/${other}/manifests/1`), 200);
      for (const { digest } of image.blobs) {
        assert.equal(await statusOf(registry, `/v2/${other}/blobs/${digest}`), 200);
      }
    },
  },
  {
    name: "deletes a blob at once, in one repository only",
    covers: "H47, 1.2/19",
    async run(registry) {
      const repository = registry.repository();
      const other = registry.repository("other");
      const blob = blobOf(randomBytes(20));
      for (const name of [repository, other]) await pushBlob(registry, name, blob);
      const path = `/v2/${repository}/blobs/${blob.digest}`;
      await expectAnswer(await registry.send(path, remove), 202);
      assert.equal(await statusOf(registry, path), 404);
      await expectAnswer(await registry.send(path, remove), 404, "BLOB_UNKNOWN");
      assert.equal(await statusOf(registry, `/v2/${other}/blobs/${blob.digest}`), 200);
      await pushBlob(registry, repository, blob);
      assert.equal(await statusOf(registry, path), 200);
    },
  },
  {
    name: "keeps a blob that a manifest of the repository needs",
    covers: "3.8",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image, "1");
      const layer = image.blobs[1];
      assert.ok(layer);
      const path = `/v2/${repository}/blobs/${layer.digest}`;
      await expectAnswer(await registry.send(path, remove), 405, "UNSUPPORTED");
      assert.equal(await statusOf(registry, path), 200);
      const manifest = `/v2/${repository}/manifests/${image.digest}`;
      await expectAnswer(await registry.send(manifest, remove), 202);
      await expectAnswer(await registry.send(path, remove), 202);
    },
  },
  {
    name: "answers 404 to deleting what no name can mean, and 400 to a digest that is none",
    covers: "3.3",
    async run(registry) {
      const repository = registry.repository();
      await pushImage(registry, repository, buildImage({ layers: [randomBytes(20)] }), "1");
      const tag = await registry.send(`/v2/${repository}/manifests/-bad`, remove);
      await expectAnswer(tag, 404, "MANIFEST_UNKNOWN");
      for (const kind of ["manifests", "blobs"]) {
        const response = await registry.send(`/v2/${repository}/${kind}/sha256:bad`, remove);
        await expectAnswer(response, 400, "DIGEST_INVALID");
      }
    },
  },
  {
    name: "lets nobody delete who may only push",
    covers: "H48",
    needs: ["pusher"],
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, image, "1");
      const { pusher } = registry.target;
      assert.ok(pusher);
      const [config] = image.blobs;
      for (const rest of ["manifests/1", `manifests/${image.digest}`, `blobs/${config?.digest}`]) {
        const path = `/v2/${repository}/${rest}`;
        await expectAnswer(await pusher(path, remove), 403, "DENIED");
        assert.equal(await statusOf(registry, path), 200);
      }
    },
  },
  {
    name: "neither moves nor deletes a tag that is fixed",
    covers: "H48",
    needs: ["fixedTag"],
    async run(registry) {
      const { namespace = "", tag = "" } = registry.target.fixedTag ?? {};
      const repository = `${namespace}/${randomBytes(6).toString("hex")}`;
      const first = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, first, tag);
      const again = await putManifest(registry, repository, first, tag);
      await expectAnswer(again, 201);
      const other = buildImage({ layers: [randomBytes(20)] });
      await pushImage(registry, repository, other);
      const moved = await putManifest(registry, repository, other, tag);
      await expectAnswer(moved, 409, "DENIED");
      for (const reference of [tag, first.digest]) {
        const gone = await registry.send(`/v2/${repository}/manifests/${reference}`, remove);
        await expectAnswer(gone, [403, 409], "DENIED");
      }
      const response = await registry.send(`/v2/${repository}/manifests/${tag}`);
      assert.equal(response.headers.get("docker-content-digest"), first.digest);
      await response.body?.cancel();
    },
  },
];
