import assert from "node:assert/strict";
import { repeatsContract } from "./contract-repeats.ts";
import { advisoriesContract } from "./contract-advisories.ts";
import { attestationsContract } from "./contract-attestations.ts";
import { historyContract } from "./contract-history.ts";
import { limitsContract } from "./contract-limits.ts";
import { lossContract } from "./contract-loss.ts";
import { lifecycleContract } from "./contract-lifecycle.ts";
import { searchContract } from "./contract-search.ts";
import { signaturesContract } from "./contract-signatures.ts";
import { trustContract } from "./contract-trust.ts";
import { stagingContract } from "./contract-staging.ts";
import {
  alice,
  bob,
  indexes,
  keepDocument,
  newVersion,
  storedFormOf,
} from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

const minuteMs = 60_000;

const publishing: readonly NpmPortsTest[] = [
  {
    name: "answers nothing for what nobody published",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({ version: "1.0.0" }), alice);
      assert.equal(await lookup.find("unknown"), undefined);
      assert.deepEqual([await lookup.has("unknown"), await lookup.has("demo")], [false, true]);
      assert.equal(await lookup.tarball("unknown", "1.0.0"), undefined);
      assert.equal(await lookup.tarball("demo", "1.0.1"), undefined);
    },
  },
  {
    name: "gives back every field of a version as it was published, byte by byte",
    async run({ lookup, recorder }) {
      const manifest = '{"version":"1.0.0","name":"@acme/demo","b":1,"a":"Zo\u00eb \u2028","c":{}}';
      const version = newVersion({
        name: "@acme/demo",
        manifest,
        abbreviated: '{"version":"1.0.0","name":"@acme/demo"}',
        readme: "# Demo",
        readmeFilename: "README.md",
      });
      assert.deepEqual(await recorder.publish(version, alice), {
        status: "published",
        isDuplicate: false,
      });

      const npmPackage = await lookup.find("@acme/demo");
      assert.ok(npmPackage);
      const { readme, readmeFilename, name, createdAt } = npmPackage;
      assert.deepEqual(
        { readme, readmeFilename, name, createdAt },
        {
          readme: "# Demo",
          readmeFilename: "README.md",
          name: "@acme/demo",
          createdAt: version.publishedAt,
        },
      );
      assert.deepEqual(npmPackage.distTags, { latest: "1.0.0" });
      assert.deepEqual(npmPackage.versions, [storedFormOf(version)]);
      assert.deepEqual(await lookup.tarball("@acme/demo", "1.0.0"), {
        ...version.blob,
        integrity: version.integrity,
      });
    },
  },
  {
    name: "lists versions in order of publication",
    async run({ lookup, recorder }) {
      for (const version of ["2.0.0", "1.0.0", "1.10.0", "1.9.0"]) {
        await recorder.publish(newVersion({ version }), alice);
      }
      const npmPackage = await lookup.find("demo");
      const versions = npmPackage?.versions.map((version) => version.version);
      assert.deepEqual(versions, ["2.0.0", "1.0.0", "1.10.0", "1.9.0"]);
    },
  },
  {
    name: "keeps names apart that differ only in letter case",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({ name: "JSONStream" }), alice);
      assert.equal(await lookup.find("jsonstream"), undefined);
      await recorder.publish(newVersion({ name: "jsonstream", version: "2.0.0" }), alice);
      assert.deepEqual((await lookup.find("JSONStream"))?.distTags, { latest: "1.0.0" });
    },
  },
  {
    name: "refuses other bytes for a published version and changes nothing",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({ seed: "one" }), alice);
      const before = await lookup.find("demo");
      const second = await recorder.publish(newVersion({ seed: "two", tags: ["other"] }), alice);
      assert.deepEqual(second, { status: "exists" });
      assert.deepEqual(await lookup.find("demo"), before);
    },
  },
  {
    name: "takes the same bytes from the same caller within 15 minutes as a replay",
    async run({ lookup, recorder }) {
      const first = new Date(Date.now() - 10 * minuteMs);
      await recorder.publish(newVersion({ publishedAt: first }), alice);
      const before = await lookup.find("demo");
      const again = await recorder.publish(newVersion({ publishedAt: new Date() }), alice);
      assert.deepEqual(again, { status: "replayed" });
      assert.deepEqual(await lookup.find("demo"), before);
    },
  },
  {
    name: "takes no replay from another caller, and none after 15 minutes",
    async run({ recorder }) {
      const first = new Date(Date.now() - 16 * minuteMs);
      await recorder.publish(newVersion({ publishedAt: first }), alice);
      const late = await recorder.publish(newVersion({ publishedAt: new Date() }), alice);
      assert.deepEqual(late, { status: "exists" });

      await recorder.publish(newVersion({ version: "2.0.0" }), alice);
      const other = await recorder.publish(newVersion({ version: "2.0.0" }), bob);
      assert.deepEqual(other, { status: "exists" });
    },
  },
  {
    name: "tells that bytes already had a name, and lets the new version share it",
    async run({ lookup, recorder }) {
      const first = newVersion({ name: "one", seed: "same bytes" });
      await recorder.publish(first, alice);
      const copy = newVersion({ name: "two", seed: "same bytes", generation: "g2" });
      assert.deepEqual(await recorder.publish(copy, alice), {
        status: "published",
        isDuplicate: true,
      });
      assert.equal((await lookup.tarball("two", "1.0.0"))?.key, first.blob.key);
    },
  },
  {
    name: "lets exactly one of 20 racing publishes of a version win",
    async run({ lookup, recorder }) {
      const outcomes = await Promise.all(
        indexes(20).map((index) => recorder.publish(newVersion({ seed: `race ${index}` }), alice)),
      );
      const statuses = outcomes.map((outcome) => outcome.status).toSorted();
      assert.deepEqual(statuses, [...Array<string>(19).fill("exists"), "published"]);
      const winner = outcomes.findIndex((outcome) => outcome.status === "published");
      const stored = await lookup.tarball("demo", "1.0.0");
      assert.equal(stored?.integrity, newVersion({ seed: `race ${winner}` }).integrity);
    },
  },
  {
    name: "takes all of 20 racing publishes of different versions",
    async run({ lookup, recorder }) {
      const outcomes = await Promise.all(
        indexes(20).map((index) =>
          recorder.publish(newVersion({ version: `1.0.${index}`, seed: `v${index}` }), alice),
        ),
      );
      assert.ok(outcomes.every((outcome) => outcome.status === "published"));
      const versions = (await lookup.find("demo"))?.versions
        .map((version) => version.version)
        .toSorted();
      assert.deepEqual(
        versions,
        indexes(20)
          .map((index) => `1.0.${index}`)
          .toSorted(),
      );
    },
  },
];

const tagging: readonly NpmPortsTest[] = [
  {
    name: "gives a first version that is published under another tag `latest` as well",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({ tags: ["beta"] }), alice);
      assert.deepEqual((await lookup.find("demo"))?.distTags, { beta: "1.0.0", latest: "1.0.0" });
    },
  },
  {
    name: "leaves `latest` and the readme alone when a later version has another tag",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({ readme: "first" }), alice);
      const preview = newVersion({ version: "2.0.0-rc.1", tags: ["next"], readme: "preview" });
      await recorder.publish(preview, alice);
      const npmPackage = await lookup.find("demo");
      assert.deepEqual(npmPackage?.distTags, { latest: "1.0.0", next: "2.0.0-rc.1" });
      assert.equal(npmPackage?.readme, "first");

      await recorder.publish(newVersion({ version: "2.0.0", readme: "second" }), alice);
      const moved = await lookup.find("demo");
      assert.deepEqual(moved?.distTags, { latest: "2.0.0", next: "2.0.0-rc.1" });
      assert.equal(moved?.readme, "second");
    },
  },
  {
    name: "sets, moves and removes a tag",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({}), alice);
      await recorder.publish(newVersion({ version: "1.1.0" }), alice);
      assert.equal(
        await recorder.setTag("demo", { tag: "stable", version: "1.1.0" }, alice),
        "set",
      );
      assert.equal(
        await recorder.setTag("demo", { tag: "stable", version: "1.0.0" }, alice),
        "set",
      );
      const tagged = { latest: "1.1.0", stable: "1.0.0" };
      assert.deepEqual((await lookup.find("demo"))?.distTags, tagged);
      assert.equal(await recorder.removeTag("demo", "stable", alice), "deleted");
      assert.deepEqual((await lookup.find("demo"))?.distTags, { latest: "1.1.0" });
    },
  },
  {
    name: "says when a tag's version, package or the tag itself is absent",
    async run({ lookup, recorder }) {
      await recorder.publish(newVersion({}), alice);
      assert.equal(
        await recorder.setTag("demo", { tag: "stable", version: "9.9.9" }, alice),
        "absent",
      );
      assert.equal(
        await recorder.setTag("unknown", { tag: "stable", version: "1.0.0" }, alice),
        "absent",
      );
      assert.equal(await recorder.removeTag("demo", "stable", alice), "absent");
      assert.equal(await recorder.removeTag("unknown", "latest", alice), "absent");
      assert.deepEqual((await lookup.find("demo"))?.distTags, { latest: "1.0.0" });
      assert.equal(await lookup.find("unknown"), undefined);
    },
  },
];

const changing: readonly NpmPortsTest[] = [
  {
    name: "raises the revision with every change, and only then",
    async run({ lookup, recorder }) {
      const revisions: (number | undefined)[] = [];
      const note = async () => revisions.push((await lookup.find("demo"))?.revision);
      await recorder.publish(newVersion({}), alice);
      await note();
      await recorder.publish(newVersion({ version: "1.1.0" }), alice);
      await note();
      await recorder.setTag("demo", { tag: "stable", version: "1.0.0" }, alice);
      await note();
      await recorder.removeTag("demo", "stable", alice);
      await note();
      const rising = [...new Set(revisions)].toSorted((a, b) => Number(a) - Number(b));
      assert.deepEqual(revisions, rising);

      await recorder.removeTag("demo", "stable", alice);
      await recorder.publish(newVersion({ seed: "other" }), alice);
      assert.equal((await lookup.find("demo"))?.revision, revisions.at(-1));
    },
  },
  {
    name: "is modified no earlier than its newest version",
    async run({ lookup, recorder }) {
      const publishedAt = new Date();
      await recorder.publish(newVersion({ publishedAt }), alice);
      const npmPackage = await lookup.find("demo");
      assert.ok(npmPackage && npmPackage.modifiedAt.getTime() >= publishedAt.getTime());
    },
  },
  {
    name: "drops the documents of a package with each of its changes, and no others",
    async run(catalog) {
      const { documents, recorder } = catalog;
      await recorder.publish(newVersion({}), alice);
      await recorder.publish(newVersion({ name: "bystander" }), alice);
      await keepDocument(catalog, "bystander");
      const changes = [
        () => recorder.publish(newVersion({ version: "1.1.0" }), alice),
        () => recorder.setTag("demo", { tag: "stable", version: "1.0.0" }, alice),
        () => recorder.removeTag("demo", "stable", alice),
      ];
      for (const change of changes) {
        await keepDocument(catalog, "demo");
        assert.ok(await documents.read("contract/demo"));
        await change();
        assert.equal(await documents.read("contract/demo"), undefined);
      }
      assert.ok(await documents.read("contract/bystander"));
    },
  },
  {
    name: "does not keep a document that was rendered before a change",
    async run(catalog) {
      const { documents, recorder } = catalog;
      await recorder.publish(newVersion({}), alice);
      const revision = await documents.revision("npm/demo");
      await recorder.publish(newVersion({ version: "1.1.0" }), alice);
      await keepDocument(catalog, "demo", revision);
      assert.equal(await documents.read("contract/demo"), undefined);
    },
  },
];

const searching: readonly NpmPortsTest[] = [
  {
    name: "finds a package by part of its name, its description and its keywords, in any case",
    async run({ recorder, search }) {
      await recorder.publish(
        newVersion({
          name: "@acme/left-pad",
          description: "Puts Blanks in front",
          keywords: ["String", "format"],
        }),
        alice,
      );
      await recorder.publish(newVersion({ name: "unrelated" }), alice);
      for (const text of ["left", "ACME", "blanks", "string", "pad FORMAT", "@acme/left-pad"]) {
        const { total, hits } = await search.search({ text, from: 0, size: 20 });
        assert.deepEqual([text, total, hits.map((hit) => hit.name)], [text, 1, ["@acme/left-pad"]]);
      }
      const none = await search.search({ text: "left nowhere", from: 0, size: 20 });
      assert.deepEqual(none, { total: 0, hits: [] });
    },
  },
  {
    name: "takes signs for blanks, whatever they mean to a database",
    async run({ recorder, search }) {
      await recorder.publish(newVersion({ name: "plain", description: "50% off" }), alice);
      await recorder.publish(newVersion({ name: "other", description: "75% off" }), alice);
      const totalOf = async (text: string) =>
        (await search.search({ text, from: 0, size: 20 })).total;
      assert.equal(await totalOf("50%"), 1);
      assert.equal(await totalOf("%off_"), 2);
      assert.equal(await totalOf("pl_on"), 0);
      assert.equal(await totalOf("'\"\\"), 0);
    },
  },
  {
    name: "shows the version that `latest` points to, once",
    async run({ recorder, search }) {
      const first = newVersion({ description: "first", keywords: ["one"] });
      await recorder.publish(first, alice);
      await recorder.publish(newVersion({ version: "2.0.0-rc.1", tags: ["next"] }), alice);
      const { total, hits } = await search.search({ text: "demo", from: 0, size: 20 });
      assert.equal(total, 1);
      assert.deepEqual(hits, [
        {
          name: "demo",
          dependents: 0,
          version: "1.0.0",
          description: "first",
          keywords: ["one"],
          publishedAt: first.publishedAt,
          manifest: first.manifest,
          maintainers: [{ name: "alice" }],
        },
      ]);
      await recorder.setTag("demo", { tag: "latest", version: "2.0.0-rc.1" }, alice);
      const moved = await search.search({ text: "demo", from: 0, size: 20 });
      assert.deepEqual(
        moved.hits.map((hit) => hit.version),
        ["2.0.0-rc.1"],
      );
    },
  },
  {
    name: "pages through everything without a gap",
    async run({ recorder, search }) {
      const names = indexes(7).map((index) => `page-${index}`);
      for (const name of names) await recorder.publish(newVersion({ name }), alice);
      const foundNames: string[] = [];
      for (const from of [0, 3, 6, 9]) {
        const page = await search.search({ text: "", from, size: 3 });
        assert.equal(page.total, 7);
        foundNames.push(...page.hits.map((hit) => hit.name));
      }
      assert.deepEqual(foundNames.toSorted(), names);
    },
  },
];

/**
 * Contract of catalogs. Independent of a test runner: an implementation loops over it, each time
 * with an empty catalog.
 */
export const npmPortsContract: readonly NpmPortsTest[] = [
  ...publishing,
  ...tagging,
  ...limitsContract,
  ...changing,
  ...searching,
  ...searchContract,
  ...historyContract,
  ...lifecycleContract,
  ...signaturesContract,
  ...trustContract,
  ...stagingContract,
  ...attestationsContract,
  ...advisoriesContract,
  ...repeatsContract,
  ...lossContract,
];
