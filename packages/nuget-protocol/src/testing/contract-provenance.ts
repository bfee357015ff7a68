import assert from "node:assert/strict";
import type { FileDigests, Seal, StoredPackage } from "../stored-package.ts";
import type { CatalogPorts, ContractTest } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";

const NAMED = { id: "Acme.Widgets", version: "1.0.0-Beta" };
const SEAL: Seal = {
  plan: Uint8Array.of(1, 2, 3),
  fingerprint: "ab".repeat(32),
  size: 4321,
  signedAt: new Date("2026-01-02T03:04:06.789Z"),
};
const DIGESTS: FileDigests = { sha256: "cd".repeat(32), sha512: `${"A".repeat(86)}==` };
const CONTENT_HASH = `${"B".repeat(86)}==`;

/** Contract of catalogs: facts of a version's files, known and computed later. */
export const provenanceCases: readonly ContractTest[] = [
  {
    name: "tells the received file's digests, and that nothing else is known",
    async run({ recorder, provenance, digests }) {
      assert.equal(await provenance.find("acme.widgets", "1.0.0-beta"), undefined);
      assert.equal(await digests.unhashed("acme.widgets", "1.0.0-beta"), undefined);
      const pushedPackage = newPackage(NAMED);
      await recorder.record(pushedPackage, testCaller);
      const { blob, sha512 } = pushedPackage;
      assert.deepEqual(await provenance.find("acme.widgets", "1.0.0-beta"), {
        ...NAMED,
        received: { sha256: blob.sha256, sha512, size: blob.size },
        contentHash: undefined,
        signed: [],
      });
      const open = await digests.unhashed("acme.widgets", "1.0.0-beta");
      assert.deepEqual([open?.lacksContentHash, open?.seals], [true, []]);
    },
  },
  {
    name: "takes a content hash and a seal that are known when a version is recorded",
    async run({ recorder, provenance, digests }) {
      const pushedPackage = newPackage(NAMED, { contentHash: CONTENT_HASH, seal: SEAL });
      await recorder.record(pushedPackage, testCaller);
      const result = await provenance.find("acme.widgets", "1.0.0-beta");
      assert.equal(result?.contentHash, CONTENT_HASH);
      assert.deepEqual(result.signed, [signedWith(undefined)]);
      const open = await digests.unhashed("acme.widgets", "1.0.0-beta");
      assert.equal(open?.lacksContentHash, false);
      assert.deepEqual(open.stored.blob, pushedPackage.blob);
      assert.deepEqual(open.seals.map(plain), [plain(SEAL)]);
    },
  },
  {
    name: "keeps digests that are found out later, and asks for them no more",
    async run(ports) {
      const stored = await recordedWith(ports, SEAL);
      await ports.digests.keep(stored, { type: "content-hash", contentHash: CONTENT_HASH });
      await ports.digests.keep(stored, { type: "signed", seal: SEAL, digests: DIGESTS });
      const result = await ports.provenance.find("acme.widgets", "1.0.0-beta");
      assert.equal(result?.contentHash, CONTENT_HASH);
      assert.deepEqual(result.signed, [signedWith(DIGESTS)]);
      const open = await ports.digests.unhashed("acme.widgets", "1.0.0-beta");
      assert.deepEqual([open?.lacksContentHash, open?.seals], [false, []]);
    },
  },
  {
    name: "keeps nothing for another seal, other bytes, or a version that is gone",
    async run(ports) {
      const { digests, lifecycle, provenance } = ports;
      const stored = await recordedWith(ports, SEAL);
      const other = { ...SEAL, plan: Uint8Array.of(9) };
      await digests.keep(stored, { type: "signed", seal: other, digests: DIGESTS });
      const elsewhere = { ...stored, blob: { ...stored.blob, sha256: "00".repeat(32) } };
      await digests.keep(elsewhere, { type: "signed", seal: SEAL, digests: DIGESTS });
      await digests.keep(elsewhere, { type: "content-hash", contentHash: CONTENT_HASH });
      const result = await provenance.find("acme.widgets", "1.0.0-beta");
      assert.equal(result?.contentHash, undefined);
      assert.deepEqual(result?.signed, [signedWith(undefined)]);
      await lifecycle.delete("acme.widgets", "1.0.0-beta", testCaller);
      await digests.keep(stored, { type: "signed", seal: SEAL, digests: DIGESTS });
      assert.equal(await provenance.find("acme.widgets", "1.0.0-beta"), undefined);
    },
  },
  {
    name: "starts anew when a version is overwritten",
    async run(ports) {
      const stored = await recordedWith(ports, SEAL);
      await ports.digests.keep(stored, { type: "content-hash", contentHash: CONTENT_HASH });
      await ports.digests.keep(stored, { type: "signed", seal: SEAL, digests: DIGESTS });
      const sha256 = "ef".repeat(32);
      const blob = { key: `nuget/blobs/sha256/ef/${sha256}.1`, size: 77, sha256 };
      const next = newPackage(NAMED, { blob, seal: SEAL });
      await ports.recorder.record(next, testCaller, { overwrite: true });
      const result = await ports.provenance.find("acme.widgets", "1.0.0-beta");
      assert.deepEqual(result?.received, { sha256, sha512: next.sha512, size: 77 });
      assert.equal(result.contentHash, undefined);
      assert.deepEqual(result.signed, [signedWith(undefined)]);
    },
  },
];

async function recordedWith(ports: CatalogPorts, seal: Seal): Promise<StoredPackage> {
  await ports.recorder.record(newPackage(NAMED, { seal }), testCaller);
  const stored = await ports.lookup.find("acme.widgets", "1.0.0-beta");
  assert.ok(stored);
  return stored;
}

function signedWith(digests: FileDigests | undefined) {
  const { fingerprint, size, signedAt } = SEAL;
  return { fingerprint, size, signedAt, replacedAt: undefined, digests };
}

function plain({ plan, ...rest }: Seal) {
  return { ...rest, plan: [...plan] };
}
