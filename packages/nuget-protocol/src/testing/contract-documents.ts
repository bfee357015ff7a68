import assert from "node:assert/strict";
import type { StoredDocument } from "@sealhouse/http-responses";
import { documentGroup, documentKey } from "../document-key.ts";
import type { CatalogPorts, ContractTest } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";

const key = documentKey({ type: "versions", id: "acme" }, "https://feed.example");
const group = documentGroup("Acme");

/** Contract of catalogs: documents and concurrent changes. */
export const documentCases: readonly ContractTest[] = [
  {
    name: "gives back a kept document, byte for byte",
    async run({ documents }) {
      assert.equal(await documents.read(key), undefined);
      assert.equal(await documents.revision(group), 0);
      const document: StoredDocument = {
        etag: "e1",
        contentType: "application/json",
        modifiedAt: new Date("2026-01-02T03:04:05.000Z"),
        identity: Buffer.from('{"z":1,"a":2}'),
        gzip: Uint8Array.of(31, 139, 0, 255),
      };
      await documents.keep({ key, group, revision: 0, document });
      const storedDocument = await documents.read(key);
      assert.ok(storedDocument);
      assert.equal(storedDocument.etag, "e1");
      assert.equal(storedDocument.contentType, "application/json");
      assert.equal(storedDocument.modifiedAt.getTime(), document.modifiedAt.getTime());
      assert.equal(Buffer.from(storedDocument.identity).toString(), '{"z":1,"a":2}');
      assert.deepEqual(Buffer.from(storedDocument.gzip ?? []), Buffer.of(31, 139, 0, 255));
    },
  },
  {
    name: "drops the documents of a package when a version is recorded, and of no other package",
    async run(ports) {
      const other = documentKey({ type: "versions", id: "other" }, "https://feed.example");
      await keep(ports, "before");
      await ports.documents.keep({
        key: other,
        group: documentGroup("other"),
        revision: await ports.documents.revision(documentGroup("other")),
        document: documentOf("other"),
      });
      await ports.recorder.record(newPackage({ id: "Acme", version: "1.0.0" }), testCaller);
      assert.equal(await ports.documents.read(key), undefined);
      assert.equal((await ports.documents.read(other))?.etag, "other");
    },
  },
  {
    name: "drops them when a version is unlisted and relisted, and not when nothing changed",
    async run(ports) {
      await ports.recorder.record(newPackage({ id: "Acme", version: "1.0.0" }), testCaller);
      for (const listed of [false, true]) {
        await keep(ports, `before ${listed}`);
        await ports.recorder.setListed("acme", "1.0.0", listed, testCaller);
        assert.equal(await ports.documents.read(key), undefined);
      }
      await keep(ports, "still true");
      await ports.recorder.setListed("acme", "1.0.0", true, testCaller);
      await ports.recorder.record(newPackage({ id: "ACME", version: "1.0.0" }), testCaller);
      assert.equal((await ports.documents.read(key))?.etag, "still true");
    },
  },
  {
    name: "does not keep what a slow renderer made from an older state",
    async run(ports) {
      const revision = await ports.documents.revision(group);
      await ports.recorder.record(newPackage({ id: "Acme", version: "1.0.0" }), testCaller);
      await ports.documents.keep({ key, group, revision, document: documentOf("old") });
      assert.equal(await ports.documents.read(key), undefined);
      await keep(ports, "new");
      assert.equal((await ports.documents.read(key))?.etag, "new");
    },
  },
];

async function keep({ documents }: CatalogPorts, etag: string): Promise<void> {
  const revision = await documents.revision(group);
  await documents.keep({ key, group, revision, document: documentOf(etag) });
  assert.equal((await documents.read(key))?.etag, etag);
}

function documentOf(etag: string): StoredDocument {
  return {
    etag,
    contentType: "application/json",
    modifiedAt: new Date("2026-01-02T03:04:05.000Z"),
    identity: Buffer.from("{}"),
  };
}
