import assert from "node:assert/strict";
import type { Digest } from "../../digest.ts";
import type { NewManifest } from "../../ports.ts";
import { buildImage, buildIndex } from "../build-image.ts";
import type { OciPortsCase } from "./contract-case.ts";
import { caller, newBlob, newManifest, prepared, recorded, repository } from "./contract-case.ts";

export const manifestCases: readonly OciPortsCase[] = [
  {
    name: "finds a manifest by digest and by tag, byte for byte",
    async run(ports) {
      const image = await prepared(ports, "team/app", { tags: ["1.0", "latest"] });
      await recorded(ports, image);
      for (const reference of [image.digest, "1.0", "latest"]) {
        const manifest = await ports.manifests.find(repository("team/app"), reference);
        assert.equal(manifest?.digest, image.digest);
        assert.equal(manifest.mediaType, image.mediaType);
        assert.deepEqual(Buffer.from(manifest.bytes), Buffer.from(image.bytes));
      }
      for (const reference of ["1", "Latest", "LATEST", `sha256:${"0".repeat(64)}`]) {
        assert.equal(await ports.manifests.find(repository("team/app"), reference), undefined);
      }
      assert.equal(await ports.manifests.find(repository("team"), image.digest), undefined);
    },
  },
  {
    name: "names every missing blob and stores nothing",
    async run(ports) {
      const image = buildImage({ layers: ["first", "second", "linked elsewhere"] });
      await ports.blobs.link(repository("other"), newBlob("linked elsewhere"));
      await ports.blobs.link(repository("app"), newBlob("{}"));
      const outcome = await ports.manifests.record(newManifest("app", image, ["1"]), caller);
      assert.equal(outcome.status, "missing");
      assert.deepEqual(
        new Set(outcome.digests),
        new Set(["first", "second", "linked elsewhere"].map((text) => newBlob(text).digest)),
      );
      assert.equal(await ports.manifests.find(repository("app"), "1"), undefined);
      assert.equal(await ports.manifests.find(repository("app"), image.digest), undefined);
    },
  },
  {
    name: "refuses a descriptor whose size is not the stored one",
    async run(ports) {
      const image = await prepared(ports, "app", { layers: ["layer"], tags: ["1"] });
      const layer = newBlob("layer").digest;
      const edges = image.edges.map((edge) =>
        edge.digest === layer ? { ...edge, size: edge.size + 1 } : edge,
      );
      const outcome = await ports.manifests.record({ ...image, edges }, caller);
      assert.deepEqual(outcome, { status: "size-mismatch", digest: layer });
      assert.equal(await ports.manifests.find(repository("app"), "1"), undefined);
    },
  },
  {
    name: "takes a foreign layer that is absent",
    async run(ports) {
      const image = await prepared(ports, "app");
      const foreign = { digest: newBlob("never pushed").digest, size: 5, kind: "foreign" as const };
      await recorded(ports, { ...image, edges: [...image.edges, foreign] });
    },
  },
  {
    name: "takes a sparse index, whose children are absent",
    async run(ports) {
      const image = await prepared(ports, "app");
      const child = { digest: newBlob("never pushed").digest, size: 5, kind: "sparse" as const };
      await recorded(ports, { ...image, edges: [...image.edges, child] });
    },
  },
  {
    name: "takes one digest as config and as layer",
    async run(ports) {
      const image = await prepared(ports, "app", { config: "{}", layers: ["{}"] });
      assert.equal(image.edges.length, 2);
      await recorded(ports, image);
    },
  },
  {
    name: "says unchanged when manifest and tags were there already",
    async run(ports) {
      const image = await prepared(ports, "app", { tags: ["1"] });
      await recorded(ports, image);
      assert.deepEqual(await ports.manifests.record(image, caller), { status: "unchanged" });
      const byDigest = { ...image, tags: [] };
      assert.deepEqual(await ports.manifests.record(byDigest, caller), { status: "unchanged" });
      const tagged = { ...image, tags: ["1", "2"] };
      assert.deepEqual(await ports.manifests.record(tagged, caller), { status: "recorded" });
      assert.deepEqual(await ports.manifests.record(tagged, caller), { status: "unchanged" });
    },
  },
  {
    name: "records one of eight identical concurrent pushes, the others unchanged",
    async run(ports) {
      const image = await prepared(ports, "app", { tags: ["1"] });
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => ports.manifests.record(image, caller)),
      );
      const statuses = outcomes.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, ["recorded", ...Array.from({ length: 7 }, () => "unchanged")]);
    },
  },
  {
    name: "moves a tag and leaves the manifest it pointed at",
    async run(ports) {
      const old = await recorded(ports, await prepared(ports, "app", { tags: ["1"] }));
      const next = await prepared(ports, "app", { layers: ["new"], tags: ["1"] });
      await recorded(ports, next);
      assert.equal((await ports.manifests.find(repository("app"), "1"))?.digest, next.digest);
      assert.equal((await ports.manifests.find(repository("app"), old))?.digest, old);
    },
  },
  {
    name: "takes index children that are manifests or blobs of the repository, and no others",
    async run(ports) {
      const child = await prepared(ports, "app");
      const cache = newBlob("cached layer");
      const index = indexOf("app", [child.digest, child.bytes.length], [cache.digest, cache.size]);
      const outcome = await ports.manifests.record(index, caller);
      assert.equal(outcome.status, "missing");
      assert.deepEqual(new Set(outcome.digests), new Set([child.digest, cache.digest]));

      await recorded(ports, { ...(await prepared(ports, "elsewhere")), tags: ["1"] });
      assert.equal((await ports.manifests.record(index, caller)).status, "missing");

      await recorded(ports, child);
      await ports.blobs.link(repository("app"), cache);
      await recorded(ports, index);
    },
  },
  {
    name: "takes indexes within indexes, eight deep and no deeper",
    async run(ports) {
      let child = await prepared(ports, "app");
      await recorded(ports, child);
      for (let depth = 1; depth <= 8; depth += 1) {
        const index = indexOf("app", [child.digest, child.bytes.length]);
        await recorded(ports, index);
        child = index;
      }
      const deeper = indexOf("app", [child.digest, child.bytes.length]);
      assert.deepEqual(await ports.manifests.record(deeper, caller), { status: "too-deep" });
      assert.equal(await ports.manifests.find(repository("app"), deeper.digest), undefined);
    },
  },
  {
    name: "takes no more new tags than a push may leave, and moves those that are there",
    async run(ports) {
      const image = await prepared(ports, "app", { tags: ["1", "2"] });
      await recorded(ports, { ...image, tagsMax: 2 });
      const { manifests } = ports;
      const other = await prepared(ports, "app", { layers: ["other"], tags: ["2", "3"] });
      const full = { ...other, tagsMax: 2 };
      assert.deepEqual(await manifests.record(full, caller), { status: "tags-full" });
      assert.equal((await manifests.find(repository("app"), "2"))?.digest, image.digest);
      assert.equal(await manifests.find(repository("app"), other.digest), undefined);
      await recorded(ports, { ...full, tags: ["2"] });
      await recorded(ports, { ...full, tags: ["3"], tagsMax: 3 });
      const { tagsMax: _, ...imported } = full;
      await recorded(ports, { ...imported, tags: ["4"] });
    },
  },
  {
    name: "refuses an index whose child has another size",
    async run(ports) {
      const child = await prepared(ports, "app");
      await recorded(ports, child);
      const index = indexOf("app", [child.digest, child.bytes.length + 1]);
      const outcome = await ports.manifests.record(index, caller);
      assert.deepEqual(outcome, { status: "size-mismatch", digest: child.digest });
    },
  },
  {
    name: "deletes a tag and keeps the manifest",
    async run(ports) {
      const image = await prepared(ports, "app", { tags: ["1", "2"] });
      await recorded(ports, image);
      assert.equal(await ports.manifests.deleteTag(repository("app"), "1", caller), "deleted");
      assert.equal(await ports.manifests.find(repository("app"), "1"), undefined);
      assert.ok(await ports.manifests.find(repository("app"), "2"));
      assert.ok(await ports.manifests.find(repository("app"), image.digest));
      assert.equal(await ports.manifests.deleteTag(repository("app"), "1", caller), "absent");
      assert.equal(await ports.manifests.deleteTag(repository("none"), "1", caller), "absent");
    },
  },
  {
    name: "deletes a manifest with its tags in one repository only",
    async run(ports) {
      const image = await prepared(ports, "app", { tags: ["1", "2"] });
      const other = await prepared(ports, "app", { layers: ["other"], tags: ["3"] });
      const copy = await prepared(ports, "copy", { tags: ["1"] });
      for (const manifest of [image, other, copy]) await recorded(ports, manifest);
      const remove = () => ports.manifests.deleteManifest(repository("app"), image.digest, caller);
      assert.equal(await remove(), "deleted");
      for (const reference of ["1", "2", image.digest]) {
        assert.equal(await ports.manifests.find(repository("app"), reference), undefined);
      }
      assert.ok(await ports.manifests.find(repository("app"), "3"));
      assert.equal((await ports.manifests.find(repository("copy"), "1"))?.digest, image.digest);
      assert.equal(await remove(), "absent");
      await recorded(ports, image);
    },
  },
];

function indexOf(name: string, ...children: readonly (readonly [Digest, number])[]): NewManifest {
  const { digest, mediaType, bytes } = buildIndex([], {
    fields: { manifests: children.map(([child, size]) => ({ digest: child, size })) },
  });
  const edges = children.map(([child, size]) => ({ digest: child, size, kind: "child" as const }));
  return { repository: repository(name), digest, mediaType, bytes, edges, tags: [] };
}
