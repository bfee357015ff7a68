import assert from "node:assert/strict";
import type { NewAdvisory } from "../advisories/ports.ts";
import {
  VULNERABILITY_GROUP,
  vulnerabilityPageKey,
} from "../advisories/vulnerability-documents.ts";
import { documentGroup, documentKey } from "../document-key.ts";
import type { CatalogPorts, ContractTest } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";

/** Contract of catalogs: adding, keeping and removing advisories. */
export const advisoryCases: readonly ContractTest[] = [
  {
    name: "knows of no advisories before any source was read",
    async run({ advisories }) {
      assert.equal(await advisories.state(), undefined);
      assert.deepEqual(await advisories.of(["acme"]), new Map());
      assert.deepEqual(await advisories.of([]), new Map());
      assert.deepEqual(await advisories.page("base"), new Map());
      assert.deepEqual(await advisories.sources(), []);
    },
  },
  {
    name: "takes a source without advisories for no data",
    async run({ advisories }) {
      await advisories.replace("one", [], "state");
      assert.equal(await advisories.state(), undefined);
      assert.deepEqual(
        (await advisories.sources()).map(({ name, state }) => [name, state]),
        [["one", "state"]],
      );
      await advisories.replace("two", [about("acme")]);
      assert.ok(await advisories.state());
      await advisories.replace("two", []);
      assert.equal(await advisories.state(), undefined);
    },
  },
  {
    name: "gives the advisories of the packages asked for, and of no other",
    async run({ advisories }) {
      const [first, second] = [about("Acme", { severity: 3 }), about("beta")];
      const outcome = await advisories.replace("one", [first, second, about("other")]);
      assert.deepEqual(outcome, { added: 3, removed: 0, total: 3 });
      const foundAdvisories = await advisories.of(["acme", "beta", "unknown"]);
      assert.deepEqual(plain(foundAdvisories), { acme: [shownAs(first)], beta: [shownAs(second)] });
      assert.deepEqual([...(await advisories.of(["unknown"]))], []);
    },
  },
  {
    name: "answers for as many packages as a page of search results has",
    async run({ advisories }) {
      await advisories.replace("one", [about("p3"), about("p77"), about("p999")]);
      const ids = Array.from({ length: 1000 }, (_, index) => `p${index}`);
      const foundAdvisories = await advisories.of(ids);
      assert.deepEqual([...foundAdvisories.keys()].toSorted(), ["p3", "p77", "p999"]);
    },
  },
  {
    name: "puts the first import on the base page, and what comes later on the update page",
    async run({ advisories }) {
      await advisories.replace("one", [about("acme")]);
      const before = await advisories.state();
      assert.deepEqual(Object.keys(plain(await advisories.page("base"))), ["acme"]);
      assert.deepEqual(plain(await advisories.page("update")), {});
      const outcome = await advisories.replace("one", [about("acme"), about("beta")]);
      assert.deepEqual(outcome, { added: 1, removed: 0, total: 2 });
      const after = await advisories.state();
      assert.deepEqual(Object.keys(plain(await advisories.page("base"))), ["acme"]);
      assert.deepEqual(Object.keys(plain(await advisories.page("update"))), ["beta"]);
      assert.ok(before && after);
      assert.equal(after.baseAt.getTime(), before.baseAt.getTime());
      assert.ok(after.updatedAt > before.updatedAt);
    },
  },
  {
    name: "makes the base anew when something is taken away, or is told differently",
    async run({ advisories }) {
      await advisories.replace("one", [about("acme"), about("beta")]);
      await advisories.replace("one", [about("acme"), about("beta"), about("gamma")]);
      const before = await advisories.state();
      const changed = [about("acme", { severity: 0 }), about("gamma")];
      const outcome = await advisories.replace("one", changed);
      assert.deepEqual(outcome, { added: 1, removed: 2, total: 2 });
      const base = plain(await advisories.page("base"));
      assert.deepEqual(base, { acme: [shownAs(changed[0])], gamma: [shownAs(about("gamma"))] });
      assert.deepEqual(plain(await advisories.page("update")), {});
      const after = await advisories.state();
      assert.ok(before && after && after.baseAt > before.baseAt);
      assert.ok(after.updatedAt >= after.baseAt);
    },
  },
  {
    name: "notices that a source has nothing new",
    async run(ports) {
      const { advisories } = ports;
      await advisories.replace("one", [about("acme")], "state 1");
      const before = await advisories.state();
      await keep(ports, documentKeyOf("acme"), documentGroup("acme"));
      const outcome = await advisories.replace("one", [about("acme")], "state 2");
      assert.deepEqual(outcome, { added: 0, removed: 0, total: 1 });
      await advisories.checked("one");
      assert.deepEqual(await advisories.state(), before);
      assert.equal((await advisories.sources())[0]?.state, "state 2");
      assert.ok(await ports.documents.read(documentKeyOf("acme")));
    },
  },
  {
    name: "drops the documents of packages about which something changed, and the pages",
    async run(ports) {
      const { advisories, documents, recorder } = ports;
      for (const id of ["Acme", "Beta", "Gamma"]) {
        await recorder.record(newPackage({ id, version: "1.0.0" }), testCaller);
      }
      await advisories.replace("one", [about("acme"), about("gamma")]);
      const pageKey = vulnerabilityPageKey("base");
      await keep(ports, pageKey, VULNERABILITY_GROUP);
      for (const id of ["acme", "beta", "gamma"]) {
        await keep(ports, documentKeyOf(id), documentGroup(id));
      }
      await advisories.replace("one", [about("Beta"), about("gamma")]);
      assert.equal(await documents.read(documentKeyOf("acme")), undefined);
      assert.equal(await documents.read(documentKeyOf("beta")), undefined);
      assert.equal(await documents.read(pageKey), undefined);
      assert.ok(await documents.read(documentKeyOf("gamma")));
    },
  },
  {
    name: "keeps the sources apart, and forgets one with what it alone told",
    async run(ports) {
      const { advisories } = ports;
      await advisories.replace("one", [about("acme"), about("beta")]);
      await advisories.replace("two", [about("acme"), about("gamma")], "etag");
      assert.deepEqual(
        (await advisories.sources()).map(({ name, state }) => [name, state]),
        [
          ["one", undefined],
          ["two", "etag"],
        ],
      );
      assert.equal((await advisories.of(["acme"])).get("acme")?.length, 1);
      await keep(ports, documentKeyOf("beta"), documentGroup("beta"));
      const before = await advisories.state();
      await advisories.remove("one");
      const left = await advisories.of(["acme", "beta", "gamma"]);
      assert.deepEqual([...left.keys()].toSorted(), ["acme", "gamma"]);
      assert.equal(await ports.documents.read(documentKeyOf("beta")), undefined);
      const after = await advisories.state();
      assert.ok(before && after && after.baseAt > before.baseAt);
      await advisories.remove("two");
      await advisories.remove("never there");
      assert.equal(await advisories.state(), undefined);
      assert.deepEqual(await advisories.sources(), []);
    },
  },
  {
    name: "tells the highest severity where two sources differ",
    async run({ advisories }) {
      await advisories.replace("one", [about("acme", { severity: 1 })]);
      await advisories.replace("two", [about("acme", { severity: 3 })]);
      const [advisory, ...more] = (await advisories.of(["acme"])).get("acme") ?? [];
      assert.equal(advisory?.severity, 3);
      assert.deepEqual(more, []);
    },
  },
  {
    name: "takes thousands of advisories, and the same again without a change",
    async run({ advisories }) {
      const many = Array.from({ length: 2500 }, (_, index) =>
        about(`package${index % 900}`, { url: `https://advisories.example/${index}` }),
      );
      const outcome = await advisories.replace("one", many);
      assert.deepEqual(outcome, { added: 2500, removed: 0, total: 2500 });
      const again = await advisories.replace("one", streamed(many));
      assert.deepEqual(again, { added: 0, removed: 0, total: 2500 });
      const base = await advisories.page("base");
      assert.equal(base.size, 900);
      const fewer = await advisories.replace("one", many.slice(600));
      assert.deepEqual(fewer, { added: 0, removed: 600, total: 1900 });
    },
  },
  {
    name: "keeps the same statement once, however often a source makes it",
    async run({ advisories }) {
      const outcome = await advisories.replace("one", [about("Acme"), about("acme")]);
      assert.deepEqual(outcome, { added: 1, removed: 0, total: 1 });
    },
  },
  {
    name: "leaves everything as it was when a source breaks off",
    async run({ advisories }) {
      await advisories.replace("one", [about("acme")]);
      await assert.rejects(advisories.replace("one", broken()), /cut off/);
      assert.deepEqual(Object.keys(plain(await advisories.page("base"))), ["acme"]);
    },
  },
  {
    name: "lets two instances read the same source at once",
    async run({ advisories }) {
      const twoAdvisories = [about("acme"), about("beta")];
      await Promise.all([
        advisories.replace("one", twoAdvisories),
        advisories.replace("one", twoAdvisories),
      ]);
      const again = await advisories.replace("one", twoAdvisories);
      assert.deepEqual(again, { added: 0, removed: 0, total: 2 });
    },
  },
];

function about(id: string, overrides: Partial<NewAdvisory> = {}): NewAdvisory {
  return {
    id,
    severity: 2,
    url: "https://advisories.example/GHSA-aaaa-bbbb-cccc",
    versions: "[1.0.0, 2.0.0)",
    advisoryId: "GHSA-aaaa-bbbb-cccc",
    ...overrides,
  };
}

function shownAs(advisory: NewAdvisory | undefined): object {
  const { id: _id, ...shown } = advisory ?? about("");
  return shown;
}

function plain(byId: ReadonlyMap<string, readonly object[]>): Record<string, readonly object[]> {
  return Object.fromEntries([...byId].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function* streamed(advisories: readonly NewAdvisory[]): AsyncGenerator<NewAdvisory> {
  yield* advisories;
}

async function* broken(): AsyncGenerator<NewAdvisory> {
  yield about("beta");
  throw new Error("cut off");
}

function documentKeyOf(id: string): string {
  return documentKey({ type: "versions", id }, "https://feed.example");
}

async function keep({ documents }: CatalogPorts, key: string, group: string): Promise<void> {
  const document = {
    etag: key,
    contentType: "application/json",
    modifiedAt: new Date("2026-01-02T03:04:05.000Z"),
    identity: Buffer.from("{}"),
  };
  const revision = await documents.revision(group);
  await documents.keep({ key, group, revision, document });
  assert.equal((await documents.read(key))?.etag, key);
}
