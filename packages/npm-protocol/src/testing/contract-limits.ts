import assert from "node:assert/strict";
import { DIST_TAGS_MAX } from "../dist-tag.ts";
import { alice, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

/** Limits of the lists of a package. */
export const limitsContract: readonly NpmPortsTest[] = [
  {
    name: `refuses more than ${DIST_TAGS_MAX} dist-tags of a package, but from an import`,
    async run({ lookup, recorder }) {
      const tags = Array.from({ length: DIST_TAGS_MAX - 1 }, (_, index) => `t${index}`);
      const recordedAt = new Date();
      await recorder.publish(newVersion({ tags, recordedAt }), alice);
      const next = newVersion({ version: "2.0.0", seed: "2", tags: ["t0", "one-more"] });
      assert.deepEqual(await recorder.publish(next, alice), { status: "tags-full" });
      const batch = await recorder.publishAll([next], alice, new Map());
      assert.deepEqual(batch, { status: "refused", index: 0, outcome: { status: "tags-full" } });
      const more = { tag: "one-more", version: "1.0.0" };
      assert.equal(await recorder.setTag("demo", more, alice), "tags-full");
      assert.equal(await recorder.setTag("demo", { ...more, tag: "t0" }, alice), "set");
      const moving = newVersion({ version: "2.0.0", seed: "2", tags: ["t0", "latest"] });
      assert.equal((await recorder.publish(moving, alice)).status, "published");
      assert.equal(await recorder.setTag("demo", { ...more, isImported: true }, alice), "set");
      const imported = newVersion({ version: "3.0.0", seed: "3", tags: ["more"], recordedAt });
      assert.equal((await recorder.publish(imported, alice)).status, "published");
      const { distTags = {} } = (await lookup.find("demo")) ?? {};
      assert.equal(Object.keys(distTags).length, DIST_TAGS_MAX + 2);
      assert.equal(distTags["t0"], "2.0.0");
    },
  },
];
