import assert from "node:assert/strict";
import { CATALOG_GROUP } from "../catalog/addresses.ts";
import type { NewCatalogItem } from "../catalog/ports.ts";
import type { ContractTest } from "./contract-test.ts";

/** The append-only catalog. */
export const catalogCases: readonly ContractTest[] = [
  {
    name: "a catalog without items has no head, and nothing to find",
    async run({ catalog }) {
      assert.equal(await catalog.head(), undefined);
      assert.deepEqual(await catalog.items(0, 10), []);
      assert.deepEqual(await catalog.at([0, 549]), []);
      assert.equal(await catalog.find(new Date("2026-01-02T03:04:05.678Z")), undefined);
      await catalog.append([]);
      assert.equal(await catalog.head(), undefined);
    },
  },
  {
    name: "appends in order, without gaps, at times that rise strictly",
    async run({ catalog }) {
      await catalog.append([itemOf("7"), itemOf("3", "PackageDelete")]);
      await catalog.append([itemOf("12")]);
      const items = await catalog.items(0, 10);
      assert.deepEqual(
        items.map(({ position, type, id, version }) => [position, type, id, version]),
        [
          [0, "PackageDetails", "Acme.Widgets", "1.0.7-Beta+x"],
          [1, "PackageDelete", "Acme.Widgets", "1.0.3-Beta+x"],
          [2, "PackageDetails", "Acme.Widgets", "1.0.12-Beta+x"],
        ],
      );
      const times = items.map(({ commitAt }) => commitAt.getTime());
      assert.deepEqual(
        times,
        [...new Set(times)].toSorted((time, other) => time - other),
      );
      assert.equal(new Set(items.map(({ commitId }) => commitId)).size, 3);
      const head = await catalog.head();
      assert.deepEqual(head, { count: 3, newest: items[2] });
      assert.deepEqual(await catalog.items(1, 1), [items[1]]);
      assert.deepEqual(await catalog.at([2, 0, 9]), [items[0], items[2]]);
    },
  },
  {
    name: "finds the leaf of a commit, its text byte for byte",
    async run({ catalog }) {
      const leaf = '{"zeta":1,"alpha":"é 🦭","nothing":"\\u0000"}';
      await catalog.append([{ ...itemOf("1"), leaf }, itemOf("2")]);
      const [first, second] = await catalog.items(0, 2);
      assert.ok(first && second);
      assert.deepEqual(await catalog.find(first.commitAt), { ...first, leaf });
      assert.deepEqual(await catalog.find(second.commitAt), { ...second, leaf: "{}" });
    },
  },
  {
    name: "appends nothing for an event that is written already",
    async run({ catalog }) {
      await catalog.append([itemOf("1"), itemOf("2")]);
      const before = await catalog.items(0, 10);
      await catalog.append([itemOf("2"), itemOf("1"), itemOf("3"), itemOf("3")]);
      const after = await catalog.items(0, 10);
      assert.deepEqual(after.slice(0, 2), before);
      assert.deepEqual(
        after.slice(2).map(({ version }) => version),
        ["1.0.3-Beta+x"],
      );
      const { eventId: _event, ...own } = itemOf("1");
      await catalog.append([own, own]);
      assert.equal((await catalog.head())?.count, 5);
      assert.equal(await catalog.shows("acme.widgets"), true);
    },
  },
  {
    name: "many appends at once leave no gap, and no event twice",
    async run({ catalog }) {
      const events = Array.from({ length: 12 }, (_, index) => String(index + 1));
      await Promise.all([...events, ...events].map((eventId) => catalog.append([itemOf(eventId)])));
      const items = await catalog.items(0, 100);
      assert.deepEqual(
        items.map(({ position }) => position),
        events.map((_, index) => index),
      );
      assert.equal(new Set(items.map(({ version }) => version)).size, events.length);
      const times = items.map(({ commitAt }) => commitAt.getTime());
      assert.deepEqual(
        times,
        [...new Set(times)].toSorted((time, other) => time - other),
      );
    },
  },
  {
    name: "an append makes the documents of the catalog stale",
    async run({ catalog, documents }) {
      const key = `${CATALOG_GROUP}/index`;
      const document = {
        etag: "e1",
        contentType: "application/json",
        modifiedAt: new Date("2026-01-02T03:04:05.000Z"),
        identity: Buffer.from("{}"),
      };
      await documents.keep({ key, group: CATALOG_GROUP, revision: 0, document });
      assert.ok(await documents.read(key));
      await catalog.append([itemOf("1")]);
      assert.equal(await documents.read(key), undefined);
      assert.equal(await documents.revision(CATALOG_GROUP), 1);
    },
  },
];

function itemOf(eventId: string, type: NewCatalogItem["type"] = "PackageDetails"): NewCatalogItem {
  return { eventId, type, id: "Acme.Widgets", version: `1.0.${eventId}-Beta+x`, leaf: "{}" };
}
