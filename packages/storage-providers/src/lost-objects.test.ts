import { expect, test } from "vitest";
import { createBlobStore } from "./blob-store.ts";
import { withLossDetection } from "./lost-objects.ts";
import { createMemoryStore } from "./memory.ts";
import { parseObjectKey } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { STORE_MARKER, adoptStore } from "./store-marker.ts";

const body = () => oneChunk(Buffer.alloc(100, "a"));

async function open() {
  const store = createMemoryStore();
  await adoptStore(store, "own");
  const rows = new Map<string, { key: string; isDamaged: boolean }>();
  const lost: string[] = [];
  const blobs = withLossDetection({
    blobs: createBlobStore(store, { prefix: "oci" }),
    store,
    onLost: (key) => lost.push(key),
    register: {
      find: async (digest) => rows.get(digest),
      async markMissing(key) {
        for (const row of rows.values()) if (row.key === key) row.isDamaged = true;
      },
      async restore({ sha256, key }) {
        const row = rows.get(`sha256:${sha256}`);
        if (!row?.isDamaged) return false;
        Object.assign(row, { key, isDamaged: false });
        return true;
      },
    },
  });
  await using staged = await blobs.stage(body());
  const { key, sha256 } = await staged.keep();
  const digest = `sha256:${sha256}`;
  rows.set(digest, { key, isDamaged: false });
  const remove = (which = key) => store.delete(parseObjectKey(which));
  const read = () => Array.fromAsync(blobs.read(rows.get(digest)?.key ?? ""));
  return { store, blobs, rows, lost, key, digest, remove, read, row: () => rows.get(digest) };
}

test("a read of a lost object marks its blob as damaged", async () => {
  const { remove, read, row, lost, key } = await open();
  await remove();
  await expect(read()).rejects.toMatchObject({ code: "storage-not-found" });
  expect(row()).toEqual({ key, isDamaged: true });
  expect(lost).toEqual([key]);
});

test("marks nothing while the store's marker is unreadable", async () => {
  const { remove, read, row, blobs, digest, key } = await open();
  await remove();
  await remove(STORE_MARKER);
  await expect(read()).rejects.toMatchObject({ code: "storage-unavailable" });
  await expect(blobs.isPresent(key)).rejects.toMatchObject({ code: "storage-unavailable" });
  await expect(blobs.confirm(digest)).rejects.toMatchObject({ code: "storage-unavailable" });
  await using staged = await blobs.stage(body());
  await expect(staged.keep()).rejects.toMatchObject({ code: "storage-unavailable" });
  expect(row()?.isDamaged).toBe(false);
});

test("confirms known bytes by their object, not by their row", async () => {
  const { remove, row, blobs, digest } = await open();
  expect(await blobs.confirm(digest)).toBe(true);
  await remove();
  expect(await blobs.confirm(digest)).toBe(false);
  expect(row()?.isDamaged).toBe(true);
  expect(await blobs.confirm("sha256:unknown")).toBe(false);
});

test.each(["before", "after"])(
  "the same bytes restore the blob, %s the loss is detected",
  async (when) => {
    const { remove, read, row, blobs, key } = await open();
    await remove();
    if (when === "after") await read().catch(() => undefined);
    await using staged = await blobs.stage(body());
    const savedBlob = await staged.keep();
    expect(row()).toEqual({ key: savedBlob.key, isDamaged: false });
    expect(savedBlob.key).not.toBe(key);
    expect(savedBlob.isRestored).toBe(true);
    // The publisher finds an existing version and discards its copy.
    await savedBlob.discard();
    expect(Buffer.concat(await read())).toHaveLength(100);
  },
);

test("bytes of a refused duplicate restore a lost object", async () => {
  const { remove, read, blobs } = await open();
  {
    await using whole = await blobs.stage(body());
    expect(await whole.heal?.()).toBe(false);
  }
  await remove();
  {
    await using staged = await blobs.stage(body());
    expect(await staged.heal?.()).toBe(true);
  }
  expect(Buffer.concat(await read())).toHaveLength(100);
});
