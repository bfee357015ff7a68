import assert from "node:assert/strict";
import type { NpmSearchFilter } from "../search/ports.ts";
import type { NpmCatalog } from "./contract-fixtures.ts";
import { alice, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-contract.ts";

async function namesFound(
  { search }: Pick<NpmCatalog, "search">,
  filter: Partial<NpmSearchFilter>,
): Promise<readonly string[]> {
  const { total, hits } = await search.search({ text: "", ...filter, from: 0, size: 20 });
  assert.equal(total, hits.length);
  return hits.map((hit) => hit.name);
}

export const searchContract: readonly NpmPortsTest[] = [
  {
    name: "puts the package that is called what was asked for first, then names that hold it",
    async run({ recorder, search }) {
      const described = newVersion({ name: "a-other", description: "like pad" });
      await recorder.publish(described, alice);
      for (const name of ["b-pad", "pad", "padding"]) {
        await recorder.publish(newVersion({ name }), alice);
      }
      const found = await namesFound({ search }, { text: "PAD" });
      assert.deepEqual(found, ["pad", "b-pad", "padding", "a-other"]);
      const second = await search.search({ text: "pad", from: 1, size: 1 });
      assert.deepEqual(
        second.hits.map((hit) => hit.name),
        ["b-pad"],
      );
    },
  },
  {
    name: "takes whole keywords, one of each group",
    async run({ recorder, search }) {
      const keywords = { one: ["string", "Pad"], two: ["string"], three: ["strings", "50%"] };
      for (const [name, words] of Object.entries(keywords)) {
        await recorder.publish(newVersion({ name, keywords: words }), alice);
      }
      const found = (...groups: string[][]) => namesFound({ search }, { keywords: groups });
      assert.deepEqual(await found(["string"]), ["one", "two"]);
      assert.deepEqual(await found(["String"], ["pad"]), ["one"]);
      assert.deepEqual(await found(["pad", "strings"]), ["one", "three"]);
      assert.deepEqual(await found(["str_ng"]), []);
      assert.deepEqual(await found(["50%"]), ["three"]);
    },
  },
  {
    name: "takes one scope, one maintainer, and leaves out what is deprecated or unstable",
    async run({ lookup, recorder, lifecycle, owners, search }) {
      for (const name of ["@acme/a", "@acme2/b", "c"]) {
        await recorder.publish(newVersion({ name }), alice);
      }
      await recorder.publish(newVersion({ name: "d", version: "0.9.0" }), alice);
      await recorder.publish(newVersion({ name: "e", version: "1.0.0-rc.1" }), alice);
      assert.deepEqual(await namesFound({ search }, { scope: "@acme" }), ["@acme/a"]);
      const stable = await namesFound({ search }, { without: ["unstable"] });
      assert.deepEqual(stable, ["@acme/a", "@acme2/b", "c"]);

      await lifecycle.deprecate("c", new Map([["1.0.0", "gone"]]), alice);
      const live = await namesFound({ search }, { without: ["deprecated", "unstable"] });
      assert.deepEqual(live, ["@acme/a", "@acme2/b"]);

      assert.deepEqual(await namesFound({ search }, { maintainer: "bob" }), []);
      const revision = (await lookup.find("c"))?.revision ?? -1;
      await owners.setMaintainers("c", { maintainers: [{ name: "bob" }], revision }, alice);
      assert.deepEqual(await namesFound({ search }, { maintainer: "bob" }), ["c"]);
      const { hits } = await search.search({ text: "c", from: 0, size: 1 });
      assert.deepEqual(hits[0]?.maintainers, [{ name: "bob" }]);
      assert.equal(hits[0]?.deprecated, "gone");
    },
  },
];
