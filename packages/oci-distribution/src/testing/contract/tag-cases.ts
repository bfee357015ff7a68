import assert from "node:assert/strict";
import type { Digest } from "../../digest.ts";
import type { TagRecord, TagRetention } from "../../retention/ports.ts";
import type { ImmutableTags } from "../../retention/tag-rules.ts";
import { buildImage, buildIndex } from "../build-image.ts";
import type { OciCatalog } from "./contract-case.ts";
import { caller, newBlob, newIndex, prepared, recorded, repository } from "./contract-case.ts";

export type OciTagsCatalog = OciCatalog & { readonly tags: TagRetention };

export type OciTagsCase = {
  readonly name: string;
  /** Wants an empty catalog in which `contractImmutableTags` holds. */
  readonly run: (ports: OciTagsCatalog) => Promise<void>;
};

/** Tags that begin with `v` in the repository `releases`. */
export const contractImmutableTags: ImmutableTags = (name, tag) =>
  name === "releases" && tag.startsWith("v") ? "keep releases" : undefined;

const RELEASES = repository("releases");
const REFUSED = { status: "immutable", tag: "v1", rule: "keep releases" } as const;

/** Contract: tags that rules protect or delete. */
export const ociTagsContract: readonly OciTagsCase[] = [
  {
    name: "sets an immutable tag once, and lets the same push come again",
    async run(ports) {
      const first = await prepared(ports, "releases", { layers: ["1"], tags: ["v1", "latest"] });
      const other = await prepared(ports, "releases", { layers: ["2"], tags: ["latest", "v1"] });
      await recorded(ports, first);
      assert.deepEqual(await ports.manifests.record(first, caller), { status: "unchanged" });
      assert.deepEqual(await ports.manifests.record(other, caller), REFUSED);
      assert.equal(await digestAt(ports, "v1"), first.digest);
      assert.equal(await digestAt(ports, "latest"), first.digest, "none of the tags moved");
      assert.equal(await ports.manifests.find(RELEASES, other.digest), undefined);
      await recorded(ports, { ...other, tags: ["latest"] });
      await recorded(ports, await prepared(ports, "app", { layers: ["1"], tags: ["v1"] }));
      await recorded(ports, await prepared(ports, "app", { layers: ["2"], tags: ["v1"] }));
    },
  },
  {
    name: "deletes neither an immutable tag nor the manifest it leads to",
    async run(ports) {
      const image = await prepared(ports, "releases", { tags: ["a", "v1", "v2"] });
      await recorded(ports, image);
      assert.deepEqual(await ports.manifests.deleteTag(RELEASES, "v1", caller), REFUSED);
      const deleted = await ports.manifests.deleteManifest(RELEASES, image.digest, caller);
      assert.deepEqual(deleted, REFUSED);
      assert.equal(await digestAt(ports, "v1"), image.digest);
      assert.equal(await digestAt(ports, "a"), image.digest);
      assert.equal(await ports.manifests.deleteTag(RELEASES, "v3", caller), "absent");
      assert.equal(await ports.manifests.deleteTag(RELEASES, "a", caller), "deleted");
    },
  },
  {
    name: "deletes nothing of an index that an immutable tag leads to",
    async run(ports) {
      const image = buildImage();
      await recorded(ports, await prepared(ports, "releases"));
      const inner = buildIndex([image]);
      const outer = buildIndex([inner]);
      await recorded(ports, newIndex("releases", inner, [image]));
      await recorded(ports, newIndex("releases", outer, [inner], ["v1"]));
      for (const { digest } of [image, inner, outer]) {
        assert.deepEqual(await ports.manifests.deleteManifest(RELEASES, digest, caller), REFUSED);
        assert.ok(await ports.manifests.find(RELEASES, digest));
      }
    },
  },
  {
    name: "gives an immutable tag to one of two pushes at once",
    async run(ports) {
      const pushes = await Promise.all(
        ["1", "2", "3"].map((layer) =>
          prepared(ports, "releases", { layers: [layer], tags: ["v1"] }),
        ),
      );
      const outcomes = await Promise.all(
        pushes.map((push) => ports.manifests.record(push, caller)),
      );
      const statuses = outcomes.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, ["immutable", "immutable", "recorded"]);
      const winner = pushes[outcomes.findIndex(({ status }) => status === "recorded")];
      assert.equal(await digestAt(ports, "v1"), winner?.digest);
    },
  },
  {
    name: "lists tags with their digests and times, page by page",
    async run(ports) {
      const image = await prepared(ports, "releases", { tags: ["b", "a", "c"] });
      await recorded(ports, image);
      const list = await ports.tags.tagRecords(RELEASES, { limit: 2 });
      assert.deepEqual(
        list.map(({ tag, digest }) => [tag, digest]),
        ["a", "b"].map((tag) => [tag, image.digest]),
      );
      assert.ok(list.every(({ pushedAt }) => Math.abs(Date.now() - pushedAt.getTime()) < 60_000));
      const next = await ports.tags.tagRecords(RELEASES, { limit: 2, after: "b" });
      assert.deepEqual(tagsOf(next), ["c"]);
      assert.deepEqual(await ports.tags.tagRecords(repository("none"), { limit: 2 }), []);
    },
  },
  {
    name: "removes a tag as it was seen, and leaves its manifest",
    async run(ports) {
      const image = await prepared(ports, "releases", { tags: ["a", "b", "v1"] });
      await recorded(ports, image);
      const [a, b, v1] = await ports.tags.tagRecords(RELEASES, { limit: 9 });
      assert.ok(a && b && v1);
      const by = { rule: "few", caller };
      assert.equal(await ports.tags.removeTag(RELEASES, a, by), "deleted");
      assert.equal(await ports.tags.removeTag(RELEASES, a, by), "kept", "it is gone");
      assert.equal(await ports.tags.removeTag(RELEASES, v1, by), "kept", "it is immutable");
      const digest: Digest = newBlob("another").digest;
      assert.equal(await ports.tags.removeTag(RELEASES, { ...b, digest }, by), "kept");
      const pushedAt = new Date(b.pushedAt.getTime() - 1_000);
      assert.equal(await ports.tags.removeTag(RELEASES, { ...b, pushedAt }, by), "kept");
      assert.equal(await ports.tags.removeTag(repository("none"), b, by), "kept");
      assert.deepEqual(await ports.manifests.tags(RELEASES, { limit: 9 }), ["b", "v1"]);
      assert.equal((await ports.manifests.find(RELEASES, image.digest))?.digest, image.digest);
    },
  },
];

async function digestAt(ports: OciTagsCatalog, tag: string): Promise<Digest | undefined> {
  return (await ports.manifests.find(RELEASES, tag))?.digest;
}

function tagsOf(records: readonly TagRecord[]): readonly string[] {
  return records.map(({ tag }) => tag);
}
