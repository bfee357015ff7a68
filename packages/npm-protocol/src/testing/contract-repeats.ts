import assert from "node:assert/strict";
import { alice, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

/** Publishes that were sent before, and several at once. */
export const repeatsContract: readonly NpmPortsTest[] = [
  {
    name: "takes the same bytes with other tags for no replay, whatever the tags point to now",
    async run({ lookup, recorder }) {
      const publish = (tags: readonly string[], version = "1.0.0") =>
        recorder.publish(newVersion({ version, tags }), alice);
      await publish(["latest"]);
      const before = await lookup.find("demo");
      for (const tags of [["next"], ["latest", "next"], []]) {
        assert.deepEqual(await publish(tags), { status: "exists", differs: "tags" });
      }
      assert.deepEqual(await lookup.find("demo"), before);
      await publish(["beta", "next"], "2.0.0");
      assert.deepEqual(await publish(["next", "beta"], "2.0.0"), { status: "replayed" });
      await publish(["latest"], "3.0.0");
      assert.deepEqual(await publish(["latest"]), { status: "replayed" });
    },
  },
  {
    name: "publishes all of a batch or none, with the events and bytes of each",
    async run({ lookup, recorder, search }) {
      const names = async () => (await search.search({ text: "", from: 0, size: 9 })).total;
      await recorder.publish(newVersion({ name: "b", seed: "old" }), alice);
      const before = await lookup.find("b");
      const batch = ["c", "b", "a"].map((name) => newVersion({ name, seed: `new ${name}` }));
      const refused = await recorder.publishAll(batch, alice, new Map());
      assert.deepEqual(refused, { status: "refused", index: 1, outcome: { status: "exists" } });
      assert.equal(await names(), 1);
      assert.deepEqual(await lookup.find("b"), before);

      const good = [
        newVersion({ name: "c", seed: "same" }),
        newVersion({ name: "b", version: "2.0.0", seed: "b2" }),
        newVersion({ name: "a", seed: "same", generation: "g2" }),
      ];
      const published = await recorder.publishAll(good, alice, new Map());
      assert.equal(published.status, "published");
      const flags = published.outcomes.map(
        (outcome) => outcome.status === "published" && outcome.isDuplicate,
      );
      assert.equal(flags.filter(Boolean).length, 1);
      assert.equal(await names(), 3);
      assert.equal((await lookup.find("b"))?.distTags["latest"], "2.0.0");
      const again = await recorder.publishAll(good, alice, new Map());
      assert.equal(again.status, "published");
      assert.ok(again.outcomes.every(({ status }) => status === "replayed"));

      const next = (version: string) => ["x", "y"].map((name) => newVersion({ name, version }));
      const meeting = await Promise.all([
        recorder.publishAll(next("1.0.0"), alice, new Map()),
        recorder.publishAll(next("1.1.0").toReversed(), alice, new Map()),
      ]);
      assert.deepEqual(
        meeting.map(({ status }) => status),
        ["published", "published"],
      );
      assert.equal((await lookup.find("y"))?.versions.length, 2);
    },
  },
];
