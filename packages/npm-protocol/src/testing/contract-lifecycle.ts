import assert from "node:assert/strict";
import { NAME_HOLD_MS } from "../lifecycle/ports.ts";
import type { NpmCatalog } from "./contract-fixtures.ts";
import { alice, bob, indexes, keepDocument, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

const deprecating: readonly NpmPortsTest[] = [
  {
    name: "deprecates the named versions and lifts it again, and changes nothing else of them",
    async run({ lookup, recorder, lifecycle }) {
      await publishAll(recorder, ["1.0.0", "1.1.0", "2.0.0"]);
      const before = await demo({ lookup });
      const texts = new Map([
        ["1.1.0", "use 2"],
        ["1.0.0", "use 2"],
        ["9.9.9", "not here"],
      ]);
      const changed = await lifecycle.deprecate("demo", texts, alice);
      assert.deepEqual(changed, ["1.0.0", "1.1.0"]);
      const after = await demo({ lookup });
      const textsNow = after.versions.map((version) => version.deprecated);
      assert.deepEqual(textsNow, ["use 2", "use 2", undefined]);
      const bare = after.versions.map(({ deprecated: _deprecated, ...rest }) => rest);
      assert.deepEqual([bare, after.distTags], [before.versions, before.distTags]);

      const lifted = await lifecycle.deprecate("demo", new Map([["1.0.0", undefined]]), alice);
      assert.deepEqual(lifted, ["1.0.0"]);
      const left = (await demo({ lookup })).versions.map((version) => version.deprecated);
      assert.deepEqual(left, [undefined, "use 2", undefined]);
    },
  },
  {
    name: "deprecates a version with its publish, and lifts that like any other deprecation",
    async run({ lookup, recorder, lifecycle }) {
      await publishAll(recorder, ["1.0.0"]);
      await recorder.publish(newVersion({ version: "1.1.0", deprecated: "use 2" }), alice);
      const texts = async () =>
        (await demo({ lookup })).versions.map((version) => version.deprecated);
      assert.deepEqual(await texts(), [undefined, "use 2"]);
      // Publishing again changes nothing.
      await recorder.publish(newVersion({ version: "1.1.0" }), alice);
      assert.deepEqual(await texts(), [undefined, "use 2"]);
      const lifting = new Map([["1.1.0", undefined]]);
      assert.deepEqual(await lifecycle.deprecate("demo", lifting, alice), ["1.1.0"]);
      assert.deepEqual(await texts(), [undefined, undefined]);
    },
  },
  {
    name: "changes nothing, not even the revision, for texts that stand already",
    async run({ lookup, recorder, lifecycle }) {
      await publishAll(recorder, ["1.0.0"]);
      const texts = new Map([["1.0.0", "gone"]]);
      await lifecycle.deprecate("demo", texts, alice);
      const before = await demo({ lookup });
      assert.deepEqual(await lifecycle.deprecate("demo", texts, bob), []);
      assert.deepEqual(await lifecycle.deprecate("demo", new Map(), bob), []);
      assert.deepEqual(await demo({ lookup }), before);
      assert.equal(await lifecycle.deprecate("unknown", texts, bob), undefined);
    },
  },
  {
    name: "deprecates hundreds of versions at once",
    async run({ lookup, recorder, lifecycle }) {
      const versions = indexes(230).map((index) => `1.0.${index}`);
      await publishAll(recorder, versions);
      const texts = new Map(versions.map((version) => [version, "all of them"]));
      assert.equal((await lifecycle.deprecate("demo", texts, alice))?.length, 230);
      const npmPackage = await demo({ lookup });
      assert.ok(npmPackage.versions.every((version) => version.deprecated === "all of them"));
    },
  },
];

const unpublishing: readonly NpmPortsTest[] = [
  {
    name: "takes a version away for ever, and its tags with it",
    async run(catalog) {
      const { lookup, recorder } = catalog;
      await publishAll(recorder, ["1.0.0", "1.1.0"]);
      await recorder.setTag("demo", { tag: "stable", version: "1.1.0" }, alice);
      assert.equal(await unpublish(catalog, ["1.1.0"]), "deleted");
      const npmPackage = await demo({ lookup });
      assert.deepEqual(
        npmPackage.versions.map((version) => version.version),
        ["1.0.0"],
      );
      assert.deepEqual(npmPackage.distTags, { latest: "1.0.0" });
      assert.equal(await lookup.tarball("demo", "1.1.0"), undefined);
      for (const caller of [alice, bob]) {
        const again = newVersion({ version: "1.1.0" });
        assert.deepEqual(await recorder.publish(again, caller), { status: "deleted" });
      }
      assert.deepEqual(await demo({ lookup }), npmPackage);
    },
  },
  {
    name: "moves `latest` to the highest stable version that is left, without its readme",
    async run(catalog) {
      const { lookup, recorder } = catalog;
      await publishAll(recorder, ["1.9.0", "1.10.0", "2.0.0-rc.1"]);
      await recorder.publish(newVersion({ version: "2.0.0", readme: "secret" }), alice);
      await unpublish(catalog, ["2.0.0"]);
      const npmPackage = await demo({ lookup });
      assert.deepEqual([npmPackage.distTags, npmPackage.readme], [{ latest: "1.10.0" }, undefined]);
      await unpublish(catalog, ["1.9.0", "1.10.0"]);
      assert.deepEqual((await demo({ lookup })).distTags, { latest: "2.0.0-rc.1" });
    },
  },
  {
    name: "leaves `latest` and the readme alone when another version goes",
    async run(catalog) {
      const { lookup, recorder } = catalog;
      await publishAll(recorder, ["3.0.0"]);
      await recorder.publish(newVersion({ version: "1.0.0", readme: "kept" }), alice);
      await unpublish(catalog, ["3.0.0"]);
      const npmPackage = await demo({ lookup });
      assert.deepEqual([npmPackage.distTags, npmPackage.readme], [{ latest: "1.0.0" }, "kept"]);
    },
  },
  {
    name: "refuses what was decided from an older revision",
    async run({ lookup, recorder, lifecycle }) {
      await publishAll(recorder, ["1.0.0"]);
      const { revision } = await demo({ lookup });
      await recorder.publish(newVersion({ version: "1.1.0" }), alice);
      const before = await demo({ lookup });
      const removal = { versions: ["1.0.0"], revision };
      assert.equal(await lifecycle.unpublish("demo", removal, alice), "changed");
      assert.deepEqual(await demo({ lookup }), before);
    },
  },
  {
    name: "says when there is nothing to take away",
    async run(catalog) {
      await publishAll(catalog.recorder, ["1.0.0"]);
      assert.equal(await unpublish(catalog, ["9.9.9"]), "absent");
      const removal = { versions: "all", revision: 1 } as const;
      assert.equal(await catalog.lifecycle.unpublish("unknown", removal, alice), "absent");
    },
  },
  {
    name: "forgets a package with its last version, and keeps its name for who did it",
    async run(catalog) {
      const { lookup, recorder, search } = catalog;
      for (const versions of ["all", ["1.0.0"]] as const) {
        const name = `demo-${typeof versions}`;
        await recorder.publish(newVersion({ name }), alice);
        assert.equal(await unpublish(catalog, versions, name), "deleted");
        assert.equal(await lookup.find(name), undefined);
        assert.equal((await search.search({ text: name, from: 0, size: 1 })).total, 0);

        const next = newVersion({ name, version: "1.0.1" });
        const refused = await recorder.publish(next, bob);
        assert.ok(refused.status === "reserved" && refused.until > new Date());
        assert.equal((await recorder.publish(next, alice)).status, "published");
        const another = newVersion({ name, version: "1.0.2" });
        assert.equal((await recorder.publish(another, bob)).status, "published");
      }
    },
  },
  {
    name: "lets others have a name after a day, and nobody a version that was",
    async run(catalog) {
      const { recorder } = catalog;
      await recorder.publish(newVersion({}), alice);
      await unpublish(catalog, "all");
      const publishedAt = new Date(Date.now() + NAME_HOLD_MS + 60_000);
      const same = newVersion({ publishedAt });
      assert.deepEqual(await recorder.publish(same, bob), { status: "deleted" });
      const next = newVersion({ version: "1.0.1", publishedAt });
      assert.equal((await recorder.publish(next, bob)).status, "published");
    },
  },
  {
    name: "counts that day to when an older version is taken in, not to when it was published",
    async run(catalog) {
      const { recorder } = catalog;
      await recorder.publish(newVersion({}), alice);
      await unpublish(catalog, "all");
      const old = { version: "0.9.0", publishedAt: new Date("2020-02-02T02:02:02Z") };
      const early = newVersion({ ...old, recordedAt: new Date() });
      assert.equal((await recorder.publish(early, bob)).status, "reserved");
      const recordedAt = new Date(Date.now() + NAME_HOLD_MS + 60_000);
      const late = newVersion({ ...old, recordedAt });
      assert.equal((await recorder.publish(late, bob)).status, "published");
      assert.deepEqual((await demo(catalog)).createdAt, old.publishedAt);
    },
  },
  {
    name: "gives up bytes that no version names any more, and no others",
    async run(catalog) {
      const { lookup, recorder } = catalog;
      const shared = { seed: "shared bytes" };
      await recorder.publish(newVersion({ ...shared, name: "one" }), alice);
      await recorder.publish(newVersion({ ...shared, name: "two" }), alice);
      await unpublish(catalog, "all", "one");
      assert.ok(await lookup.tarball("two", "1.0.0"));
      await unpublish(catalog, "all", "two");
      const anew = newVersion({ ...shared, name: "three", generation: "g2" });
      const outcome = await recorder.publish(anew, alice);
      assert.deepEqual(outcome, { status: "published", isDuplicate: false });
      assert.equal((await lookup.tarball("three", "1.0.0"))?.key, anew.blob.key);
    },
  },
  {
    name: "lets one of many racing unpublishes of a revision win",
    async run({ lookup, recorder, lifecycle }) {
      const versions = indexes(10).map((index) => `1.0.${index}`);
      await publishAll(recorder, versions);
      const { revision } = await demo({ lookup });
      const outcomes = await Promise.all(
        versions.map((version) =>
          lifecycle.unpublish("demo", { versions: [version], revision }, alice),
        ),
      );
      const won = outcomes.filter((outcome) => outcome === "deleted").length;
      assert.deepEqual([won, (await demo({ lookup })).versions.length], [1, 9]);
    },
  },
  {
    name: "knows about how many bytes a packument has",
    async run({ recorder, lifecycle }) {
      assert.equal(await lifecycle.manifestBytes("demo"), 0);
      await recorder.publish(newVersion({ manifest: "a".repeat(300) }), alice);
      await recorder.publish(newVersion({ version: "2.0.0", manifest: "b".repeat(400) }), alice);
      assert.equal(await lifecycle.manifestBytes("demo"), 700);
    },
  },
];

const owning: readonly NpmPortsTest[] = [
  {
    name: "has the first publisher as its maintainer, with the access that was asked for",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({ access: "restricted" }), alice);
      await recorder.publish(newVersion({ version: "1.1.0", access: "public" }), bob);
      const { maintainers, access } = await demo({ lookup });
      assert.deepEqual([maintainers, access], [[{ name: "alice" }], "restricted"]);
    },
  },
  {
    name: "changes the maintainers of the revision that was seen",
    async run({ lookup, recorder, owners }) {
      await recorder.publish(newVersion({}), alice);
      const { revision } = await demo({ lookup });
      const maintainers = [{ name: "Zo\u00eb", email: "zoe@example.com" }, { name: 'b"ob' }];
      const change = { maintainers, revision };
      assert.equal(await owners.setMaintainers("demo", change, alice), "set");
      const npmPackage = await demo({ lookup });
      assert.deepEqual(
        [npmPackage.maintainers, npmPackage.revision > revision],
        [maintainers, true],
      );
      assert.equal(await owners.setMaintainers("demo", change, alice), "changed");
      assert.equal(await owners.setMaintainers("unknown", change, alice), "absent");
    },
  },
  {
    name: "changes the access, and only when it is another",
    async run({ lookup, recorder, owners }) {
      await recorder.publish(newVersion({}), alice);
      assert.equal((await demo({ lookup })).access, undefined);
      assert.equal(await owners.setAccess("demo", "restricted", alice), "set");
      const npmPackage = await demo({ lookup });
      assert.equal(npmPackage.access, "restricted");
      assert.equal(await owners.isPrivate("demo"), true);
      assert.equal(await owners.setAccess("demo", "restricted", alice), "set");
      assert.deepEqual(await demo({ lookup }), npmPackage);
      assert.equal(await owners.setAccess("unknown", "public", alice), "absent");
      assert.equal(await owners.setAccess("demo", "public", alice), "set");
      assert.equal(await owners.isPrivate("demo"), false);
    },
  },
  {
    name: "lists the packages of a scope and of a maintainer",
    async run({ lookup, recorder, owners }) {
      for (const name of ["@acme/b", "@acme/a", "@acme_x/c", "@acmexx/d"]) {
        await recorder.publish(newVersion({ name }), alice);
      }
      const maintainers = [{ name: "bob" }, { name: "carol" }];
      const revision = (await lookup.find("@acme/b"))?.revision ?? -1;
      await owners.setMaintainers("@acme/b", { maintainers, revision }, alice);
      const inScope = await owners.packages({ scope: "@acme" });
      assert.deepEqual(inScope, [
        { name: "@acme/a", maintainers: [{ name: "alice" }] },
        { name: "@acme/b", maintainers },
      ]);
      const namesOf = async (maintainer: string) =>
        (await owners.packages({ maintainer })).map(({ name }) => name);
      assert.deepEqual(await namesOf("bob"), ["@acme/b"]);
      assert.deepEqual(await namesOf("alice"), ["@acme/a", "@acme_x/c", "@acmexx/d"]);
      assert.deepEqual(await namesOf("bo"), []);
      assert.deepEqual(await owners.packages({ scope: "@acme_" }), []);
    },
  },
];

const changing: readonly NpmPortsTest[] = [
  {
    name: "drops the documents of a package with whatever becomes of it",
    async run(catalog) {
      const { documents, recorder, lookup, lifecycle, owners } = catalog;
      await publishAll(recorder, ["1.0.0", "1.1.0"]);
      const revision = async () => (await demo({ lookup })).revision;
      const maintainers = [{ name: "bob" }];
      const changes = [
        () => lifecycle.deprecate("demo", new Map([["1.0.0", "old"]]), alice),
        async () =>
          owners.setMaintainers("demo", { maintainers, revision: await revision() }, alice),
        () => owners.setAccess("demo", "restricted", alice),
        () => unpublish(catalog, ["1.0.0"]),
        () => unpublish(catalog, "all"),
      ];
      for (const change of changes) {
        await keepDocument(catalog, "demo");
        assert.ok(await documents.read("contract/demo"));
        await change();
        assert.equal(await documents.read("contract/demo"), undefined);
      }
    },
  },
];

const depending: readonly NpmPortsTest[] = [
  {
    name: "knows who depends on a package, by what `latest` points to",
    async run(catalog) {
      const { recorder, dependents } = catalog;
      const usersOf = async (name: string) =>
        (await dependents.dependents(name, { from: 0, size: 10 })).names;
      await recorder.publish(newVersion({ dependencyNames: ["a", "b"] }), alice);
      const next = newVersion({ version: "2.0.0", dependencyNames: ["b", "c"] });
      await recorder.publish({ ...next, tags: ["next"] }, alice);
      assert.deepEqual([await usersOf("A"), await usersOf("c")], [["demo"], []]);
      await recorder.setTag("demo", { tag: "latest", version: "2.0.0" }, alice);
      assert.deepEqual([await usersOf("a"), await usersOf("b")], [[], ["demo"]]);
      await unpublish(catalog, ["2.0.0"]);
      assert.deepEqual([await usersOf("a"), await usersOf("c")], [["demo"], []]);
      const third = { version: "3.0.0", dependencyNames: indexes(250).map((n) => `n${n}`) };
      await recorder.publish(newVersion(third), alice);
      assert.deepEqual([await usersOf("a"), await usersOf("n249")], [[], ["demo"]]);
      await unpublish(catalog, "all");
      assert.deepEqual(await usersOf("n249"), []);
    },
  },
  {
    name: "pages through dependents by name",
    async run({ recorder, dependents }) {
      for (const name of ["z", "y", "x"]) {
        await recorder.publish(newVersion({ name, dependencyNames: ["shared"] }), alice);
      }
      const page = await dependents.dependents("shared", { from: 1, size: 1 });
      assert.deepEqual(page, { total: 3, names: ["y"] });
    },
  },
];

async function publishAll(recorder: NpmCatalog["recorder"], versions: readonly string[]) {
  for (const version of versions) await recorder.publish(newVersion({ version }), alice);
}

async function demo({ lookup }: Pick<NpmCatalog, "lookup">) {
  const npmPackage = await lookup.find("demo");
  assert.ok(npmPackage);
  return npmPackage;
}

async function unpublish(
  { lookup, lifecycle }: NpmCatalog,
  versions: readonly string[] | "all",
  name = "demo",
) {
  const revision = (await lookup.find(name))?.revision ?? -1;
  return lifecycle.unpublish(name, { versions, revision }, alice);
}

/** Contract of catalogs: changes to versions, and owners of packages. */
export const lifecycleContract: readonly NpmPortsTest[] = [
  ...deprecating,
  ...unpublishing,
  ...owning,
  ...depending,
  ...changing,
];
