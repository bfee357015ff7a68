import assert from "node:assert/strict";
import type { NameLimit, NpmSearchFilter } from "../search/ports.ts";
import type { NpmCatalog } from "./contract-fixtures.ts";
import { alice, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

async function namesFound(
  { search }: Pick<NpmCatalog, "search">,
  filter: Partial<NpmSearchFilter & NameLimit>,
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
      const names = await namesFound({ search }, { text: "PAD" });
      assert.deepEqual(names, ["pad", "b-pad", "padding", "a-other"]);
      const second = await search.search({ text: "pad", from: 1, size: 1 });
      assert.deepEqual(
        second.hits.map((hit) => hit.name),
        ["b-pad"],
      );
      const few = await search.search({ text: "pad", from: 0, size: 2, totalMax: 2 });
      assert.deepEqual([few.total, ...few.hits.map((hit) => hit.name)], [2, "pad", "b-pad"]);
      const plain = await namesFound({ search }, { text: "pad", boostExact: false });
      assert.deepEqual(plain, ["b-pad", "pad", "padding", "a-other"]);
    },
  },
  {
    name: "takes whole keywords, one of each group",
    async run({ recorder, search }) {
      const keywords = { one: ["string", "Pad"], two: ["string"], three: ["strings", "50%"] };
      for (const [name, words] of Object.entries(keywords)) {
        await recorder.publish(newVersion({ name, keywords: words }), alice);
      }
      const find = (...groups: string[][]) => namesFound({ search }, { keywords: groups });
      assert.deepEqual(await find(["string"]), ["one", "two"]);
      assert.deepEqual(await find(["String"], ["pad"]), ["one"]);
      assert.deepEqual(await find(["pad", "strings"]), ["one", "three"]);
      assert.deepEqual(await find(["str_ng"]), []);
      assert.deepEqual(await find(["50%"]), ["three"]);
    },
  },
  {
    name: "takes one scope, its maintainers, and leaves out what is deprecated or unstable or not",
    async run({ lookup, recorder, lifecycle, owners, search }) {
      for (const name of ["@acme/a", "@acme2/b", "c"]) {
        await recorder.publish(newVersion({ name }), alice);
      }
      await recorder.publish(newVersion({ name: "d", version: "0.9.0" }), alice);
      await recorder.publish(newVersion({ name: "e", version: "1.0.0-rc.1" }), alice);
      const find = (filter: Partial<NpmSearchFilter>) => namesFound({ search }, filter);
      assert.deepEqual(await find({ scope: "@acme" }), ["@acme/a"]);
      assert.deepEqual(await find({ without: ["unstable"] }), ["@acme/a", "@acme2/b", "c"]);
      assert.deepEqual(await find({ only: ["unstable"] }), ["d", "e"]);
      assert.deepEqual(await find({ only: ["deprecated"] }), []);

      await lifecycle.deprecate("c", new Map([["1.0.0", "gone"]]), alice);
      await lifecycle.deprecate("d", new Map([["0.9.0", "gone"]]), alice);
      const live = await find({ without: ["deprecated", "unstable"] });
      assert.deepEqual(live, ["@acme/a", "@acme2/b"]);
      assert.deepEqual(await find({ only: ["deprecated"] }), ["c", "d"]);
      assert.deepEqual(await find({ only: ["deprecated", "unstable"] }), ["d"]);
      assert.deepEqual(await find({ only: ["unstable"], without: ["deprecated"] }), ["e"]);

      assert.deepEqual(await find({ maintainers: ["bob"] }), []);
      const revision = (await lookup.find("c"))?.revision ?? -1;
      const maintainers = [{ name: "ann" }, { name: "bob" }];
      await owners.setMaintainers("c", { maintainers, revision }, alice);
      assert.deepEqual(await find({ maintainers: ["bob"] }), ["c"]);
      assert.deepEqual(await find({ maintainers: ["bob", "ann"] }), ["c"]);
      assert.deepEqual(await find({ maintainers: ["bob", "alice"] }), []);
      const { hits } = await search.search({ text: "c", from: 0, size: 1 });
      assert.deepEqual(hits[0]?.maintainers, maintainers);
      assert.equal(hits[0]?.deprecated, "gone");
    },
  },
  {
    name: "finds and counts only names within the limit, whatever else is asked for",
    async run({ recorder, search, dependents }) {
      const all = ["@acme/a", "@acme/sub", "@acme2/a", "acme", "Acme-x", "acme-x", "hidden"];
      for (const name of all) {
        const more = { keywords: ["k"], dependencyNames: name === "acme" ? [] : ["acme"] };
        await recorder.publish(newVersion({ name, ...more }), alice);
      }
      const limits: readonly [string, readonly string[]][] = [
        ["@acme/*", ["@acme/a", "@acme/sub"]],
        ["@acme/a", ["@acme/a"]],
        ["@acme*/a", ["@acme/a", "@acme2/a"]],
        ["acme-*", ["acme-x"]],
        ["*", ["Acme-x", "acme", "acme-x", "hidden"]],
        ["**", all],
        ["**a", ["@acme/a", "@acme2/a"]],
        ["**cme**", ["@acme/a", "@acme/sub", "@acme2/a", "Acme-x", "acme", "acme-x"]],
        ["acme/**", ["acme"]],
        ["none", []],
        ["h_dden", []],
        ["a/b/c", []],
      ];
      for (const [pattern, expected] of limits) {
        const filters: readonly Partial<NpmSearchFilter & NameLimit>[] = [
          {},
          { keywords: [["k"]] },
          { maintainers: ["alice"] },
          { without: ["deprecated"] },
        ];
        for (const filter of filters) {
          const names = await namesFound({ search }, { ...filter, names: [pattern] });
          assert.deepEqual(names.toSorted(), expected.toSorted(), pattern);
        }
        const page = { names: [pattern], from: 0, size: 20 };
        const users = await dependents.dependents("acme", page);
        const using = expected.filter((name) => name !== "acme");
        assert.deepEqual(users.names.toSorted(), using.toSorted(), pattern);
        assert.equal(users.total, using.length);
      }
      const several = await namesFound({ search }, { names: ["@acme/a", "hid*"] });
      assert.deepEqual(several, ["@acme/a", "hidden"]);
      assert.deepEqual(await namesFound({ search }, { names: [] }), []);
      const page = await search.search({ text: "", names: ["@acme/*"], from: 1, size: 1 });
      assert.deepEqual([page.total, page.hits.map(({ name }) => name)], [2, ["@acme/sub"]]);
    },
  },
  {
    name: "counts the packages that depend on a hit now",
    async run({ recorder, search }) {
      const uses = async (name: string, version: string, dependencyNames: readonly string[]) =>
        recorder.publish(newVersion({ name, version, dependencyNames }), alice);
      await uses("used", "1.0.0", []);
      await uses("@acme/one", "1.0.0", ["used", "@acme/two"]);
      await uses("@acme/two", "1.0.0", ["used"]);
      await uses("once", "1.0.0", ["used"]);
      await uses("once", "1.1.0", []);
      const { hits } = await search.search({ text: "", from: 0, size: 10 });
      const counts = hits.map(({ name, dependents }) => [name, dependents]);
      assert.deepEqual(Object.fromEntries(counts), {
        used: 2,
        "@acme/one": 0,
        "@acme/two": 1,
        once: 0,
      });
      const none = await search.search({ text: "used", from: 1, size: 10 });
      assert.deepEqual(none, { total: 1, hits: [] });
    },
  },
];
