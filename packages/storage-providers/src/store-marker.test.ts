import { expect, test } from "vitest";
import { createMemoryStore } from "./memory.ts";
import { parseObjectKey } from "./object-store.ts";
import type { ObjectStore } from "./object-store.ts";
import { oneChunk } from "./one-chunk.ts";
import { adoptStore, claimStore, readMark, requireMarker, STORE_MARKER } from "./store-marker.ts";

const write = (store: ObjectStore, key: string, text = "bytes") =>
  store.write(parseObjectKey(key), oneChunk(Buffer.from(text)), { existing: "replace" });
const claim = (store: ObjectStore, registryId: string, keys: readonly string[] = []) =>
  claimStore(store, { registryId, namedKeys: async () => keys });

const OWN = { status: "own" };
const UNKNOWN = { status: "foreign", registryId: undefined };
const OLDER = "This folder is the storage of a Sealhouse registry. Do not remove this file.\n";

test.each([
  ["a new store", {}, [], OWN],
  ["one with files of others", { "certs/x.pfx": "" }, [], OWN],
  ["one with a referenced object", { "oci/blobs/x": "" }, ["oci/lost", "oci/blobs/x"], OWN],
  ["an unmounted one", { "certs/x.pfx": "" }, ["oci/blobs/x"], { status: "unmounted" }],
  ["one with objects of a lost database", { "npm/blobs/x": "" }, [], UNKNOWN],
  ["a new one of an older release", { [STORE_MARKER]: OLDER }, [], OWN],
  ["that of an older release", { [STORE_MARKER]: OLDER, "oci/x": "" }, ["oci/x"], OWN],
  ["another one of an older release", { [STORE_MARKER]: OLDER, "oci/x": "" }, ["oci/y"], UNKNOWN],
  ["one with a marker of any text", { [STORE_MARKER]: "x".repeat(5_000) }, [], OWN],
])("claims a store, or refuses it: %s", async (_, objects, keys, outcome) => {
  const store = createMemoryStore();
  for (const [key, text] of Object.entries(objects)) await write(store, key, text);
  const before = await readMark(store);
  expect(await claim(store, "own", keys)).toEqual(outcome);
  expect(await readMark(store)).toEqual(outcome === OWN ? { registryId: "own" } : before);
});

test("refuses the store of another registry until it is adopted", async () => {
  const store = createMemoryStore();
  expect(await claim(store, "first")).toEqual(OWN);
  // Referenced objects do not matter: the database may be a copy of an old one.
  await write(store, "oci/x");
  const foreign = { status: "foreign", registryId: "first" };
  expect(await claim(store, "second", ["oci/x"])).toEqual(foreign);
  await requireMarker(store, "first");
  await adoptStore(store, "second");
  expect(await claim(store, "second")).toEqual(OWN);
  const unavailable = { code: "storage-unavailable" };
  await expect(requireMarker(store, "first")).rejects.toMatchObject(unavailable);
  await requireMarker(store, "second");
  await store.delete(STORE_MARKER);
  await expect(requireMarker(store, "second")).rejects.toThrow(/may not be mounted/);
});

/** A store on which all callers have read the marker before the first one writes it. */
function racing(store: ObjectStore, callers: number): ObjectStore {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let waiting = 0;
  return {
    ...store,
    async read(...key) {
      const stored = await store.read(...key);
      waiting += 1;
      if (waiting === callers) resolve(undefined);
      await promise;
      return stored;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

test.each(["no marker", "a marker of an older release"])(
  "instances that start at once share a store with %s",
  async (what) => {
    const inner = createMemoryStore();
    if (what !== "no marker") await write(inner, STORE_MARKER, OLDER);
    const store = racing(inner, 3);
    const claims = ["own", "own", "own"].map((id) => claim(store, id));
    expect(await Promise.all(claims)).toEqual([OWN, OWN, OWN]);
  },
);

test("of two registries that start at once, one gets a new store", async () => {
  const store = createMemoryStore();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const slow: ObjectStore = {
    ...store,
    async read(...key) {
      const stored = await store.read(...key);
      await promise;
      return stored;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
  const late = claim(slow, "second");
  expect(await claim(store, "first")).toEqual(OWN);
  resolve(undefined);
  expect(await late).toEqual({ status: "foreign", registryId: "first" });
});
