import assert from "node:assert/strict";
import type { DocumentStore, StoredDocument } from "../stored-document.ts";

/** A document store, and a change of a group as its owner's recorders make it. */
export type DocumentStoreSubject = {
  readonly store: DocumentStore;
  readonly change: (group: string) => Promise<void>;
};

export type DocumentStoreTest = {
  readonly name: string;
  readonly run: (subject: DocumentStoreSubject) => Promise<void>;
};

/** Contract tests of every `DocumentStore`, for any test runner. Each test uses its own groups and
 * keys, so all of them can run on one store. */
export const documentStoreContract: readonly DocumentStoreTest[] = [
  {
    name: "knows neither documents nor revisions at first",
    async run({ store }) {
      assert.equal(await store.read("first/nothing"), undefined);
      assert.equal(await store.revision("first"), 0);
    },
  },
  {
    name: "reads back what it kept, byte for byte",
    async run({ store }) {
      const forms = {
        plain: documentOf("plain"),
        compressed: documentOf("all", { gzip: Buffer.of(0x1f, 0, 255), zstd: Buffer.of(0x28) }),
        gzipOnly: documentOf("gzip", { gzip: Buffer.of(1) }),
        empty: documentOf("", { identity: Buffer.alloc(0) }),
        large: documentOf("large", { identity: Buffer.alloc(3_000_000, "0123456789") }),
      };
      for (const [name, document] of Object.entries(forms)) {
        await keep(store, `bytes/${name}`, { group: "bytes", revision: 0, document });
      }
      for (const [name, document] of Object.entries(forms)) {
        assert.deepEqual(plain(await store.read(`bytes/${name}`)), plain(document), name);
      }
    },
  },
  {
    name: "replaces a document of the same revision",
    async run({ store }) {
      for (const text of ["one", "two"]) {
        const document = documentOf(text, text === "one" ? { gzip: Buffer.of(1) } : {});
        await keep(store, "again/x", { group: "again", revision: 0, document });
      }
      const storedDocument = await store.read("again/x");
      assert.equal(textOf(storedDocument), "two");
      assert.equal(storedDocument?.gzip, undefined);
    },
  },
  {
    name: "tells keys apart that differ in case, signs or length only",
    async run({ store }) {
      const keys = ["k/Name", "k/name", "k/näme", "k/name'", 'k/"%_\\', `k/${"n".repeat(300)}`];
      for (const key of keys) {
        await keep(store, key, { group: "k", revision: 0, document: documentOf(key) });
      }
      for (const key of keys) assert.equal(textOf(await store.read(key)), key);
    },
  },
  {
    name: "drops all documents of a group when it changes, and only those",
    async run({ store, change }) {
      for (const [key, group] of [
        ["drop/a", "drop-1"],
        ["drop/b", "drop-1"],
        ["drop/c", "drop-2"],
      ] as const) {
        await keep(store, key, { group, revision: 0, document: documentOf(key) });
      }
      await change("drop-1");
      assert.equal(await store.read("drop/a"), undefined);
      assert.equal(await store.read("drop/b"), undefined);
      assert.equal(textOf(await store.read("drop/c")), "drop/c");
    },
  },
  {
    name: "raises the revision with every change, also of a group without documents",
    async run({ store, change }) {
      const seen = [await store.revision("rising")];
      for (let round = 0; round < 3; round += 1) {
        await change("rising");
        seen.push(await store.revision("rising"));
      }
      assert.deepEqual(
        seen,
        [...new Set(seen)].toSorted((a, b) => a - b),
      );
      assert.equal(seen.length, 4);
      assert.equal(await store.revision("rising-other"), 0);
    },
  },
  {
    name: "ignores a document rendered before a change",
    async run({ store, change }) {
      const before = await store.revision("late");
      await change("late");
      const late = { group: "late", revision: before, document: documentOf("old") };
      await keep(store, "late/x", late);
      assert.equal(await store.read("late/x"), undefined);

      const now = { group: "late", revision: await store.revision("late") };
      await keep(store, "late/x", { ...now, document: documentOf("new") });
      await keep(store, "late/x", late);
      assert.equal(textOf(await store.read("late/x")), "new");
    },
  },
  {
    name: "never shows a document from before a change, however the two meet",
    async run({ store, change }) {
      for (let round = 0; round < 10; round += 1) {
        const key = `race/${round}`;
        const revision = await store.revision("race");
        const entry = { group: "race", revision, document: documentOf("old") };
        await Promise.all([keep(store, key, entry), change("race"), keep(store, key, entry)]);
        assert.equal(await store.read(key), undefined);
      }
    },
  },
  {
    name: "counts every one of many changes at once",
    async run({ store, change }) {
      await Promise.all(Array.from({ length: 8 }, () => change("many")));
      assert.ok((await store.revision("many")) >= 8);
    },
  },
];

type Entry = {
  readonly group: string;
  readonly revision: number;
  readonly document: StoredDocument;
};

function keep(store: DocumentStore, key: string, entry: Entry): Promise<void> {
  return store.keep({ key, ...entry });
}

function documentOf(text: string, more: Partial<StoredDocument> = {}): StoredDocument {
  return {
    etag: `tag-${text}`,
    contentType: "application/json",
    modifiedAt: new Date("2026-11-21T10:20:30.456Z"),
    identity: Buffer.from(text),
    ...more,
  };
}

function textOf(document: StoredDocument | undefined): string | undefined {
  return document && Buffer.from(document.identity).toString();
}

/** Comparable, whichever kind of byte array a driver gives. */
function plain(document: StoredDocument | undefined): unknown {
  if (!document) return undefined;
  const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("base64");
  const { identity, gzip, zstd, ...rest } = document;
  return { ...rest, identity: hex(identity), gzip: hex(gzip), zstd: hex(zstd) };
}
