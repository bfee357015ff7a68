import assert from "node:assert/strict";
import { documentGroup, documentKey } from "../document-key.ts";
import type { Deprecation } from "../stored-package.ts";
import type { CatalogPorts, ContractTest } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";
import { queryFor } from "./search-cases.ts";

const DEPRECATION: Deprecation = {
  reasons: ["Legacy", "CriticalBugs"],
  message: 'Use "Other" 🦭',
  alternatePackage: { id: "Other", range: "[2.0.0, )" },
};

/** Deleting, deprecating, tombstones, and what retention asks for. */
export const lifecycleCases: readonly ContractTest[] = [
  {
    name: "deletes a version for good, and leaves a tombstone with its digest",
    async run(ports) {
      const { lookup, lifecycle } = ports;
      await fill(ports, "Acme", ["1.0.0", "2.0.0-Beta"]);
      const { blob } = newPackage({ id: "Acme", version: "2.0.0-Beta" });
      const before = Date.now();
      assert.equal(await lifecycle.delete("acme", "2.0.0-beta", testCaller), "deleted");
      assert.equal(await lifecycle.delete("acme", "2.0.0-beta", testCaller), "absent");
      assert.equal(await lifecycle.delete("acme", "3.0.0", testCaller), "absent");
      assert.equal(await lookup.find("acme", "2.0.0-beta"), undefined);
      assert.deepEqual(await versionsOf(ports, "acme"), ["1.0.0"]);
      const [tombstone, ...others] = await lifecycle.tombstones("acme");
      assert.deepEqual(others, []);
      assert.ok(tombstone && Math.abs(tombstone.deletedAt.getTime() - before) < 60_000);
      assert.deepEqual(
        { ...tombstone, deletedAt: 0 },
        {
          id: "Acme",
          version: "2.0.0-Beta",
          sha256: blob.sha256,
          deletedAt: 0,
          deletedBy: testCaller.actor,
        },
      );
    },
  },
  {
    name: "does not take a deleted number again, in any spelling, until that is allowed",
    async run(ports) {
      const { recorder, lifecycle } = ports;
      await fill(ports, "Acme", ["1.0.0-Beta"]);
      await lifecycle.delete("acme", "1.0.0-beta", testCaller);
      const [tombstone] = await lifecycle.tombstones("acme");
      for (const overwrite of [false, true]) {
        const again = newPackage({ id: "ACME", version: "1.0.0-BETA+x" });
        assert.deepEqual(await recorder.record(again, testCaller, { overwrite }), {
          status: "tombstone",
          deletedAt: tombstone?.deletedAt,
        });
      }
      assert.equal(await lifecycle.allowReuse("acme", "1.0.0-beta", testCaller), "allowed");
      assert.equal(await lifecycle.allowReuse("acme", "1.0.0-beta", testCaller), "absent");
      assert.deepEqual(await lifecycle.tombstones("acme"), []);
      await fill(ports, "Acme", ["1.0.0-Beta"]);
      assert.equal(await lifecycle.delete("acme", "1.0.0-beta", testCaller), "deleted");
    },
  },
  {
    name: "lists tombstones by version, of one package only",
    async run(ports) {
      const { lifecycle } = ports;
      await fill(ports, "Acme", ["1.10.0", "1.9.0"]);
      await fill(ports, "Acme.Other", ["1.0.0"]);
      for (const version of ["1.10.0", "1.9.0"]) {
        await lifecycle.delete("acme", version, testCaller);
      }
      await lifecycle.delete("acme.other", "1.0.0", testCaller);
      const versions = (await lifecycle.tombstones("acme")).map(({ version }) => version);
      assert.deepEqual(versions, ["1.9.0", "1.10.0"]);
    },
  },
  {
    name: "deletes once when ten ask at the same time",
    async run(ports) {
      await fill(ports, "Acme", ["1.0.0"]);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => ports.lifecycle.delete("acme", "1.0.0", testCaller)),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "deleted").length, 1);
      assert.equal((await ports.lifecycle.tombstones("acme")).length, 1);
    },
  },
  {
    name: "finds in a search what is left after a deletion",
    async run(ports) {
      await fill(ports, "Acme", ["1.0.0", "2.0.0"]);
      const query = queryFor("acme");
      await ports.lifecycle.delete("acme", "2.0.0", testCaller);
      const [hit] = (await ports.search.search(query)).hits;
      assert.deepEqual(
        hit?.versions.map(({ version }) => version),
        ["1.0.0"],
      );
      await ports.lifecycle.delete("acme", "1.0.0", testCaller);
      assert.deepEqual(await ports.search.search(query), { totalHits: 0, hits: [] });
    },
  },
  {
    name: "deprecates the versions named, shows it with them, and lifts it again",
    async run(ports) {
      const { lookup, lifecycle } = ports;
      await fill(ports, "Acme", ["1.0.0", "2.0.0-Beta", "3.0.0"]);
      const some = ["1.0.0", "2.0.0-beta"];
      const changed = await lifecycle.deprecate("acme", some, DEPRECATION, testCaller);
      assert.deepEqual(changed?.toSorted(), ["1.0.0", "2.0.0-Beta"]);
      const shown = (await lookup.versions("acme")).map(({ deprecation }) => deprecation);
      assert.deepEqual(shown, [DEPRECATION, DEPRECATION, undefined]);
      assert.deepEqual(await lifecycle.deprecate("acme", some, DEPRECATION, testCaller), []);

      const all = await lifecycle.deprecate("acme", "all", DEPRECATION, testCaller);
      assert.deepEqual(all, ["3.0.0"]);
      const other: Deprecation = { reasons: ["Other"] };
      assert.equal((await lifecycle.deprecate("acme", "all", other, testCaller))?.length, 3);
      const lifted = await lifecycle.deprecate("acme", ["3.0.0"], undefined, testCaller);
      assert.deepEqual(lifted, ["3.0.0"]);
      const left = (await lookup.versions("acme")).map(({ deprecation }) => deprecation);
      assert.deepEqual(left, [other, other, undefined]);
    },
  },
  {
    name: "deprecates nothing when the package or one of the versions does not exist",
    async run(ports) {
      const { lookup, lifecycle } = ports;
      await fill(ports, "Acme", ["1.0.0"]);
      const deprecate = (id: string, versions: readonly string[] | "all") =>
        lifecycle.deprecate(id, versions, DEPRECATION, testCaller);
      assert.equal(await deprecate("other", "all"), undefined);
      assert.equal(await deprecate("acme", ["1.0.0", "9.9.9"]), undefined);
      assert.equal((await lookup.versions("acme"))[0]?.deprecation, undefined);
    },
  },
  {
    name: "drops the documents when a version is deleted or deprecated, not when nothing changed",
    async run(ports) {
      const { lifecycle } = ports;
      await fill(ports, "Acme", ["1.0.0", "2.0.0"]);
      await keptDocument(ports);
      await lifecycle.deprecate("acme", "all", DEPRECATION, testCaller);
      assert.equal(await documentEtag(ports), undefined);
      await keptDocument(ports);
      await lifecycle.deprecate("acme", "all", DEPRECATION, testCaller);
      await lifecycle.deprecate("acme", ["9.0.0"], undefined, testCaller);
      await lifecycle.delete("acme", "9.0.0", testCaller);
      assert.equal(await documentEtag(ports), "kept");
      await lifecycle.delete("acme", "2.0.0", testCaller);
      assert.equal(await documentEtag(ports), undefined);
    },
  },
  {
    name: "hands retention the packages with published prereleases, page by page",
    async run(ports) {
      const { recorder, retention } = ports;
      await fill(ports, "Acme.B", ["1.0.0-a", "1.0.0-B", "1.0.0"]);
      await fill(ports, "acme.a", ["2.0.0-rc.1"]);
      await fill(ports, "Acme.Stable", ["1.0.0"]);
      const mirrored = { origin: "Mirrored" } as const;
      await recorder.record(newPackage({ id: "M", version: "1.0.0-x" }, mirrored), testCaller);
      await recorder.setListed("acme.b", "1.0.0-a", false, testCaller);
      const [first, ...none] = await retention.page("", 1);
      assert.deepEqual([first?.id, none], ["acme.a", []]);
      const second = await retention.page("acme.a", 10);
      assert.deepEqual(
        second.map(({ id, versions }) => [
          id,
          versions
            .map((row) => `${row.version} ${row.listed} ${row.isPublishedPrerelease}`)
            .toSorted(),
        ]),
        [["acme.b", ["1.0.0 true false", "1.0.0-B true true", "1.0.0-a false true"]]],
      );
      assert.ok(second[0]?.versions[0]?.publishedAt instanceof Date);
      assert.deepEqual(await retention.page("acme.b", 10), []);
    },
  },
  {
    name: "finds the versions that depend on a package, page by page",
    async run(ports) {
      const { recorder, retention } = ports;
      const needs = (...ids: readonly string[]) => {
        const dependencies = ids.map((id) => ({ id, range: "[1.0.0, )" }));
        const details = JSON.stringify({ dependencyGroups: [{ dependencies }] });
        return { details, dependencyIds: ids.map((id) => id.toLowerCase()) };
      };
      await fill(ports, "Acme", ["1.0.0-a"]);
      for (const [id, ids] of [
        ["One", ["Acme", "Other"]],
        ["Two", ["Acme.Other"]],
        ["Three", ["ACME"]],
      ] as const) {
        await recorder.record(newPackage({ id, version: "1.0.0" }, needs(...ids)), testCaller);
      }
      const seen: string[] = [];
      for (let after: number | undefined = 0; after !== undefined;) {
        const page = await retention.dependents(new Set(["acme"]), { after, limit: 1 });
        for (const { id, version, dependencies } of page.dependents) {
          const ranges = dependencies.map((dependency) => `${dependency.id} ${dependency.range}`);
          seen.push(`${id} ${version}: ${ranges.join(", ")}`);
        }
        after = page.next;
      }
      assert.deepEqual(seen, [
        "One 1.0.0: Acme [1.0.0, ), Other [1.0.0, )",
        "Three 1.0.0: ACME [1.0.0, )",
      ]);
    },
  },
  {
    name: "deletes by a rule all versions of a package but the last",
    async run(ports) {
      const { retention } = ports;
      await fill(ports, "Acme", ["1.0.0-A", "1.0.0-b"]);
      const deleted = (version: string) => retention.delete("acme", { version }, testCaller);
      assert.equal(await deleted("1.0.0-A"), "deleted");
      assert.equal(await deleted("1.0.0-A"), "absent");
      assert.equal(await deleted("1.0.0-b"), "kept");
      assert.deepEqual(await versionsOf(ports, "acme"), ["1.0.0-b"]);
    },
  },
];

async function fill(
  { recorder }: CatalogPorts,
  id: string,
  versions: readonly string[],
): Promise<void> {
  for (const version of versions) {
    const outcome = await recorder.record(newPackage({ id, version }), testCaller);
    assert.equal(outcome.status, "recorded");
  }
}

async function versionsOf({ lookup }: CatalogPorts, id: string): Promise<readonly string[]> {
  return (await lookup.versions(id)).map(({ version }) => version);
}

const KEY = documentKey({ type: "versions", id: "acme" }, "https://feed.example");

async function keptDocument({ documents }: CatalogPorts): Promise<void> {
  const group = documentGroup("acme");
  const revision = await documents.revision(group);
  const [modifiedAt, identity] = [new Date("2026-01-02T03:04:05.000Z"), Buffer.from("{}")];
  const document = { etag: "kept", contentType: "application/json", modifiedAt, identity };
  await documents.keep({ key: KEY, group, revision, document });
}

async function documentEtag({ documents }: CatalogPorts): Promise<string | undefined> {
  return (await documents.read(KEY))?.etag;
}
