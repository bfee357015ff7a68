import assert from "node:assert/strict";
import type { NewNpmAdvisory } from "../advisories/ports.ts";
import { indexes } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

/** Contract of catalogs: advisories. */
export const advisoriesContract: readonly NpmPortsTest[] = [
  {
    name: "knows of no advisories before any source was read",
    async run({ advisories }) {
      assert.deepEqual(await advisories.of(["demo"]), new Map());
      assert.deepEqual(await advisories.of([]), new Map());
    },
  },
  {
    name: "gives back every field of the advisories of the packages asked for, and of no other",
    async run({ advisories }) {
      const whole = about("@acme/demo", {
        title: "Zo\u00eb's \u{1f480} 'title' % \\ \"",
        cwe: ["CWE-79", "CWE-1321"],
        cvss: { score: 9.8, vectorString: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" },
        severity: 3,
      });
      const { advisoryId: _advisoryId, ...bare } = about("demo");
      const newAdvisories = [whole, bare, about("Demo", { severity: 0 }), about("other")];
      const outcome = await advisories.replace("one", newAdvisories);
      assert.deepEqual(outcome, { added: 4, removed: 0, total: 4 });
      const npmAdvisories = await advisories.of(["@acme/demo", "demo", "Demo", "unknown"]);
      assert.deepEqual(
        new Map([...npmAdvisories].toSorted(([a], [b]) => (a < b ? -1 : 1))),
        new Map([
          ["@acme/demo", [shown(whole)]],
          ["Demo", [shown(about("Demo", { severity: 0 }))]],
          ["demo", [shown(bare)]],
        ]),
      );
    },
  },
  {
    name: "answers for as many packages as a large lock file has",
    async run({ advisories }) {
      const names = ["p3", "p77", "p1999", "p2200"];
      await advisories.replace(
        "one",
        names.map((name) => about(name)),
      );
      const npmAdvisories = await advisories.of(indexes(2201).map((index) => `p${index}`));
      assert.deepEqual([...npmAdvisories.keys()].toSorted(), names.toSorted());
    },
  },
  {
    name: "makes what a source says now all there is from it",
    async run({ advisories }) {
      await advisories.replace("one", [about("demo"), about("beta")]);
      await advisories.replace("two", [about("demo", { title: "by two" })]);
      const changed = [about("demo", { severity: 0 }), about("gamma")];
      const outcome = await advisories.replace("one", changed);
      assert.deepEqual(outcome, { added: 2, removed: 2, total: 2 });
      const npmAdvisories = await advisories.of(["demo", "beta", "gamma"]);
      assert.deepEqual([...npmAdvisories.keys()].toSorted(), ["demo", "gamma"]);
      assert.deepEqual(
        npmAdvisories
          .get("demo")
          ?.map(({ severity }) => severity)
          .toSorted(),
        [0, 2],
      );
      assert.deepEqual(await advisories.replace("one", []), { added: 0, removed: 2, total: 0 });
      assert.deepEqual([...(await advisories.of(["demo", "gamma"])).keys()], ["demo"]);
    },
  },
  {
    name: "forgets a source with what it alone told",
    async run({ advisories }) {
      await advisories.replace("one", [about("demo"), about("beta")]);
      await advisories.replace("two", [about("demo")]);
      await advisories.remove("one");
      await advisories.remove("never there");
      const npmAdvisories = await advisories.of(["demo", "beta"]);
      assert.deepEqual([...npmAdvisories.keys()], ["demo"]);
      await advisories.remove("two");
      assert.deepEqual(await advisories.of(["demo"]), new Map());
    },
  },
  {
    name: "takes thousands of advisories, and the same again without a change",
    async run({ advisories }) {
      const many = indexes(2500).map((index) =>
        about(`package${index % 900}`, { title: `number ${index}` }),
      );
      const outcome = await advisories.replace("one", many);
      assert.deepEqual(outcome, { added: 2500, removed: 0, total: 2500 });
      const again = await advisories.replace("one", streamed([...many, ...many]));
      assert.deepEqual(again, { added: 0, removed: 0, total: 2500 });
      const fewer = await advisories.replace("one", streamed(many.slice(1200)));
      assert.deepEqual(fewer, { added: 0, removed: 1200, total: 1300 });
    },
  },
  {
    name: "keeps what it had when a source breaks off",
    async run({ advisories }) {
      await advisories.replace("one", [about("demo")]);
      await assert.rejects(advisories.replace("one", broken()), /cut off/);
      const npmAdvisories = await advisories.of(["demo", "beta"]);
      assert.deepEqual([...npmAdvisories.keys()], ["demo"]);
    },
  },
  {
    name: "lets two instances read the same source at once",
    async run({ advisories }) {
      const newAdvisories = indexes(500).map((index) => about(`package${index}`));
      await Promise.all([
        advisories.replace("one", newAdvisories),
        advisories.replace("one", newAdvisories),
      ]);
      const again = await advisories.replace("one", newAdvisories);
      assert.equal(again.added, 0);
      assert.equal((await advisories.of(["package7"])).get("package7")?.length, 1);
    },
  },
];

function about(name: string, changes: Partial<NewNpmAdvisory> = {}): NewNpmAdvisory {
  return {
    name,
    advisoryId: "GHSA-aaaa-bbbb-cccc",
    severity: 2,
    title: "Something about it",
    url: "https://advisories.example/GHSA-aaaa-bbbb-cccc",
    versions: ">=1.0.0 <2.0.0",
    cwe: [],
    ...changes,
  };
}

function shown({ name: _name, ...advisory }: NewNpmAdvisory): object {
  return advisory;
}

async function* streamed(advisories: readonly NewNpmAdvisory[]): AsyncGenerator<NewNpmAdvisory> {
  yield* advisories;
}

async function* broken(): AsyncGenerator<NewNpmAdvisory> {
  yield about("beta");
  throw new Error("cut off");
}
