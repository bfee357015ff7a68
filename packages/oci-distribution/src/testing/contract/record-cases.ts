import assert from "node:assert/strict";
import type { BlobRecord, BlobRecords } from "../../scrub/ports.ts";
import type { OciCatalog } from "./contract-case.ts";
import { allow, caller, newBlob, prepared, recorded, repository } from "./contract-case.ts";

export type OciRecordsCatalog = OciCatalog & { readonly records: BlobRecords };

export type OciRecordsCase = {
  readonly name: string;
  /** Wants an empty catalog. */
  readonly run: (ports: OciRecordsCatalog) => Promise<void>;
};

const APP = repository("app");
const FUTURE = new Date("2999-01-01");

/** What a check of the storage may rely on. */
export const ociRecordsContract: readonly OciRecordsCase[] = [
  {
    name: "lists blobs with their keys and sizes, page by page",
    async run(ports) {
      await linked(ports, "a", "bb", "ccc");
      const first = await ports.records.blobs({ limit: 2 });
      const after = first.at(-1)?.id ?? 0;
      const rest = await ports.records.blobs({ limit: 2, after });
      assert.deepEqual(
        [...first, ...rest].map(({ digest, size, key }) => ({ digest, size, key })),
        ["a", "bb", "ccc"].map((content) => newBlob(content)),
      );
      assert.equal(first[0]?.verifiedAt, undefined);
      assert.equal(first[0]?.damagedAt, undefined);
    },
  },
  {
    name: "asks first for blobs that were never verified, then for those of long ago",
    async run(ports) {
      const [a, b, c, d] = await linked(ports, "a", "b", "c", "d");
      assert.ok(a && b && c && d);
      await ports.records.markVerified(b, caller);
      await ports.records.markVerified(a, caller);
      const upTo = d.id;
      assert.deepEqual(await unverified(ports, { before: FUTURE, upTo }), ["c", "d", "b", "a"]);
      assert.deepEqual(await unverified(ports, { before: FUTURE, upTo: c.id }), ["c", "b", "a"]);
      assert.deepEqual(await unverified(ports, { before: new Date(1), upTo }), ["c", "d"]);
    },
  },
  {
    name: "calls a damaged blob absent until somebody pushes it anew",
    async run(ports) {
      const image = await prepared(ports, "app", { layers: ["layer"] });
      await ports.blobs.link(repository("other"), newBlob("layer"));
      const layer = await recordOf(ports, "layer");
      const having = await ports.records.markDamaged(layer, "missing", caller);
      assert.deepEqual(having, ["app", "other"]);
      assert.deepEqual(await ports.records.markDamaged(layer, "digest", caller), having);
      assert.ok((await recordOf(ports, "layer")).damagedAt);
      assert.equal(await ports.blobs.find(APP, layer.digest), undefined);
      const from = { repository: APP, mayPull: allow("app").mayPull };
      assert.equal(await ports.blobs.mount(repository("third"), layer.digest, from), false);
      const refused = await ports.manifests.record(image, caller);
      assert.deepEqual(refused, { status: "missing", digests: [layer.digest] });

      const anew = newBlob("layer", "2");
      assert.deepEqual(await ports.blobs.link(APP, anew), { surplus: false });
      const { key, size } = anew;
      assert.deepEqual(await ports.blobs.find(repository("other"), layer.digest), { key, size });
      const { damagedAt, verifiedAt } = await recordOf(ports, "layer");
      assert.deepEqual([damagedAt, verifiedAt], [undefined, undefined]);
      await recorded(ports, image);
    },
  },
  {
    name: "lets the link to a damaged blob be taken away",
    async run(ports) {
      const [blob] = await linked(ports, "a");
      assert.ok(blob);
      await ports.records.markDamaged(blob, "size", caller);
      assert.equal(await ports.blobs.unlink(APP, blob.digest), "unlinked");
    },
  },
  {
    name: "calls a blob whole again once its object was verified",
    async run(ports) {
      const [blob] = await linked(ports, "a");
      assert.ok(blob);
      await ports.records.markDamaged(blob, "digest", caller);
      await ports.records.markVerified(blob, caller);
      const record = await recordOf(ports, "a");
      assert.equal(record.damagedAt, undefined);
      assert.ok(record.verifiedAt);
      const { key, size } = blob;
      assert.deepEqual(await ports.blobs.find(APP, blob.digest), { key, size });
    },
  },
  {
    name: "names another object that has the bytes",
    async run(ports) {
      const [blob] = await linked(ports, "a");
      assert.ok(blob);
      await ports.records.markDamaged(blob, "missing", caller);
      const { key, size } = newBlob("a", "found");
      assert.equal(await ports.records.replaceKey(blob, key, caller), true);
      assert.deepEqual(await ports.blobs.find(APP, blob.digest), { key, size });
      assert.equal((await recordOf(ports, "a")).damagedAt, undefined);
    },
  },
  {
    name: "says nothing about an object that the row does not name any more",
    async run(ports) {
      const [blob] = await linked(ports, "a");
      assert.ok(blob);
      const old = { ...blob, key: newBlob("a", "old").key };
      await ports.records.markVerified(old, caller);
      assert.equal(await ports.records.markDamaged(old, "missing", caller), undefined);
      assert.equal(await ports.records.replaceKey(old, newBlob("a", "new").key, caller), false);
      assert.deepEqual(await recordOf(ports, "a"), blob);
    },
  },
  {
    name: "gives every manifest with its bytes, page by page",
    async run(ports) {
      for (const name of ["app", "other"]) {
        for (const layer of ["1", "2"]) {
          await recorded(ports, await prepared(ports, name, { layers: [layer] }));
        }
      }
      const names: string[] = [];
      for (let after = 0; ;) {
        const page = await ports.records.manifests({ limit: 3, after });
        names.push(...page.map(({ repository: name }) => name));
        after = page.at(-1)?.id ?? after;
        if (page.length < 3) break;
      }
      assert.deepEqual(names, ["app", "app", "other", "other"]);
      const [first] = await ports.records.manifests({ limit: 1 });
      assert.ok(first);
      const stored = await ports.manifests.find(APP, first.digest);
      assert.deepEqual(Buffer.from(first.bytes), Buffer.from(stored?.bytes ?? []));
    },
  },
];

async function linked(
  ports: OciRecordsCatalog,
  ...contents: readonly string[]
): Promise<readonly BlobRecord[]> {
  for (const content of contents) await ports.blobs.link(APP, newBlob(content));
  return ports.records.blobs({ limit: 100 });
}

async function recordOf(ports: OciRecordsCatalog, content: string): Promise<BlobRecord> {
  const { digest } = newBlob(content);
  const all = await ports.records.blobs({ limit: 100 });
  const found = all.find((record) => record.digest === digest);
  assert.ok(found);
  return found;
}

/** The contents, one page of one after the other. */
async function unverified(
  { records }: OciRecordsCatalog,
  asked: { readonly before: Date; readonly upTo: number },
): Promise<readonly string[]> {
  const contents = new Map(["a", "b", "c", "d"].map((text) => [newBlob(text).digest, text]));
  const seen: string[] = [];
  for (let after: BlobRecord | undefined; ;) {
    const [row] = await records.unverified({ ...asked, limit: 1, ...(after && { after }) });
    if (!row) return seen;
    seen.push(contents.get(row.digest) ?? "?");
    after = row;
  }
}
