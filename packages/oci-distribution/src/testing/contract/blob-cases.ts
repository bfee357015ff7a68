import assert from "node:assert/strict";
import type { OciPortsCase } from "./contract-case.ts";
import { allow, caller, newBlob, prepared, recorded, repository } from "./contract-case.ts";

export const blobCases: readonly OciPortsCase[] = [
  {
    name: "shows a blob only to repositories that link it",
    async run({ blobs }) {
      const blob = newBlob("layer");
      assert.deepEqual(await blobs.link(repository("team/a"), blob), { isDuplicate: false });
      const storedBlob = await blobs.find(repository("team/a"), blob.digest);
      assert.deepEqual(
        { key: storedBlob?.key, size: storedBlob?.size },
        { key: blob.key, size: blob.size },
      );
      assert.equal(await blobs.find(repository("team/b"), blob.digest), undefined);
      assert.equal(await blobs.find(repository("team"), blob.digest), undefined);
    },
  },
  {
    name: "keeps the live object and calls a second one a duplicate",
    async run({ blobs }) {
      const first = newBlob("layer", "1");
      const second = newBlob("layer", "2");
      await blobs.link(repository("a"), first);
      assert.deepEqual(await blobs.link(repository("b"), second), { isDuplicate: true });
      assert.equal((await blobs.find(repository("b"), first.digest))?.key, first.key);
    },
  },
  {
    name: "never calls the live object a duplicate, however often it is linked",
    async run({ blobs }) {
      const blob = newBlob("layer");
      await blobs.link(repository("a"), blob);
      assert.deepEqual(await blobs.link(repository("a"), blob), { isDuplicate: false });
      assert.deepEqual(await blobs.link(repository("b"), blob), { isDuplicate: false });
    },
  },
  {
    name: "links one digest to eight repositories at once with one object left",
    async run({ blobs }) {
      const names = Array.from({ length: 8 }, (_, n) => repository(`racing/${n}`));
      const results = await Promise.all(
        names.map((name, n) => blobs.link(name, newBlob("shared", `${n + 1}`))),
      );
      assert.equal(results.filter(({ isDuplicate }) => !isDuplicate).length, 1);
      const keys = await Promise.all(
        names.map(async (name) => (await blobs.find(name, newBlob("shared").digest))?.key),
      );
      const winner = results.findIndex(({ isDuplicate }) => !isDuplicate);
      assert.deepEqual(new Set(keys), new Set([newBlob("shared", `${winner + 1}`).key]));
    },
  },
  {
    name: "keeps SHA-512 names and empty blobs",
    async run({ blobs }) {
      const digest = `sha512:${"ab".repeat(64)}` as const;
      await blobs.link(repository("a"), { digest, key: "oci/blobs/odd", size: 0 });
      const blob = await blobs.find(repository("a"), digest);
      assert.equal(blob?.size, 0);
      assert.equal(blob.key, "oci/blobs/odd");
    },
  },
  {
    name: "knows a blob as long as any repository links it",
    async run({ blobs }) {
      const blob = newBlob("layer");
      assert.equal(await blobs.isKnown(blob.digest), false);
      await blobs.link(repository("a"), blob);
      await blobs.link(repository("b"), blob);
      await blobs.unlink(repository("a"), blob.digest);
      assert.equal(await blobs.isKnown(blob.digest), true);
      await blobs.unlink(repository("b"), blob.digest);
      assert.equal(await blobs.isKnown(blob.digest), false);
    },
  },
  {
    name: "mounts from a repository the caller may read",
    async run({ blobs }) {
      const blob = newBlob("layer");
      await blobs.link(repository("from"), blob);
      const from = { ...allow("from"), repository: repository("from") };
      assert.equal(await blobs.mount(repository("to"), blob.digest, from), true);
      assert.equal((await blobs.find(repository("to"), blob.digest))?.key, blob.key);
    },
  },
  {
    name: "mounts without a source from any repository the caller may read",
    async run({ blobs }) {
      const blob = newBlob("layer");
      await blobs.link(repository("secret"), blob);
      const reader = allow("open");
      assert.equal(await blobs.mount(repository("to"), blob.digest, reader), false);
      await blobs.link(repository("open"), blob);
      assert.equal(await blobs.mount(repository("to"), blob.digest, reader), true);
    },
  },
  {
    name: "does not mount what is unknown, elsewhere or forbidden",
    async run({ blobs }) {
      const blob = newBlob("layer");
      await blobs.link(repository("from"), blob);
      const to = repository("to");
      const mount = (digest: typeof blob.digest, source: string, ...allowed: string[]) =>
        blobs.mount(to, digest, { ...allow(...allowed), repository: repository(source) });
      assert.equal(await mount(newBlob("other").digest, "from", "from"), false);
      assert.equal(await mount(blob.digest, "elsewhere", "elsewhere", "from"), false);
      assert.equal(await mount(blob.digest, "from", "elsewhere"), false);
      assert.equal(await blobs.find(to, blob.digest), undefined);
    },
  },
  {
    name: "unlinks a blob from one repository only",
    async run({ blobs }) {
      const blob = newBlob("layer");
      await blobs.link(repository("a"), blob);
      await blobs.link(repository("b"), blob);
      assert.equal(await blobs.unlink(repository("a"), blob.digest), "unlinked");
      assert.equal(await blobs.find(repository("a"), blob.digest), undefined);
      assert.equal((await blobs.find(repository("b"), blob.digest))?.key, blob.key);
      assert.equal(await blobs.unlink(repository("a"), blob.digest), "absent");
      assert.equal(await blobs.unlink(repository("never-seen"), blob.digest), "absent");
    },
  },
  {
    name: "does not unlink what a manifest of the repository needs",
    async run(ports) {
      const image = await prepared(ports, "a", { layers: ["needed"] });
      const digest = await recorded(ports, image);
      const layer = newBlob("needed").digest;
      assert.equal(await ports.blobs.unlink(repository("a"), layer), "referenced");
      assert.ok(await ports.blobs.find(repository("a"), layer));
      await ports.manifests.deleteManifest(repository("a"), digest, caller);
      assert.equal(await ports.blobs.unlink(repository("a"), layer), "unlinked");
    },
  },
];
