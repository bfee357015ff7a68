import assert from "node:assert/strict";
import type { NewPackage } from "../ports.ts";
import type { Deprecation, Seal } from "../stored-package.ts";
import type { CatalogPorts, ContractTest } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";
import type { GivenPackage } from "./new-package.ts";
import { queryFor } from "./search-cases.ts";

const NAMED = { id: "Acme.Widgets", version: "1.0.0-Beta" };
const OVERWRITE = { overwrite: true } as const;
const SEAL: Seal = {
  plan: Uint8Array.of(1, 2, 3),
  fingerprint: "ab".repeat(32),
  size: 4321,
  signedAt: new Date("2026-01-02T03:04:06.789Z"),
};

/** Overwriting a version. */
export const overwriteCases: readonly ContractTest[] = [
  {
    name: "records a version that is not there yet, when it may overwrite",
    async run({ recorder }) {
      const outcome = await recorder.record(newPackage(NAMED), testCaller, OVERWRITE);
      assert.deepEqual(outcome, { status: "recorded", isDuplicate: false, replaced: false });
    },
  },
  {
    name: "gives an overwritten version its new bytes, manifest, details and seal",
    async run({ lookup, recorder }) {
      await recorder.record(newPackage(NAMED, { seal: SEAL }), testCaller);
      const next = newBuild("c1", { details: '{"second":true}' });
      const outcome = await recorder.record(next, { actor: "token:other" }, OVERWRITE);
      assert.deepEqual(outcome, { status: "recorded", isDuplicate: false, replaced: true });

      const storedPackage = await lookup.find("acme.widgets", "1.0.0-beta");
      assert.ok(storedPackage);
      assert.deepEqual(storedPackage.blob, next.blob);
      assert.deepEqual(Buffer.from(storedPackage.nuspec), Buffer.from(next.nuspec));
      assert.equal(
        storedPackage.seal,
        undefined,
        "a signature of the old bytes must not be served",
      );
      assert.deepEqual([storedPackage.id, storedPackage.version], ["ACME.Widgets", "1.0.0-BETA"]);
      const [record, ...others] = await lookup.versions("acme.widgets");
      assert.deepEqual(others, []);
      assert.equal(record?.details, '{"second":true}');
      assert.deepEqual([record.size, record.publishedBy], [next.blob.size, "token:other"]);

      await recorder.record(newBuild("c2", { seal: SEAL }), testCaller, OVERWRITE);
      const sealed = await lookup.find("acme.widgets", "1.0.0-beta");
      assert.equal(sealed?.seal?.fingerprint, SEAL.fingerprint);
    },
  },
  {
    name: "keeps first publication, listing and deprecation of an overwritten version",
    async run({ lookup, recorder, lifecycle }) {
      const first = newPackage(NAMED);
      const deprecation: Deprecation = { reasons: ["Legacy"], message: "use the new one" };
      await recorder.record(first, testCaller);
      await recorder.setListed("acme.widgets", "1.0.0-beta", false, testCaller);
      await lifecycle.deprecate("acme.widgets", "all", deprecation, testCaller);
      const later = { publishedAt: new Date("2027-01-01T00:00:00Z"), listed: true };
      await recorder.record(newBuild("c1", later), testCaller, OVERWRITE);
      const [record] = await lookup.versions("acme.widgets");
      assert.deepEqual(record?.publishedAt, first.publishedAt);
      assert.equal(record.listed, false);
      assert.deepEqual(record.deprecation, deprecation);
    },
  },
  {
    name: "calls the new copy a duplicate when a version is overwritten with its own bytes",
    async run({ lookup, recorder }) {
      const first = newPackage(NAMED);
      await recorder.record(first, testCaller);
      const copy = { ...first.blob, key: `${first.blob.key}.second` };
      const again = newPackage(NAMED, { blob: copy });
      const outcome = await recorder.record(again, testCaller, OVERWRITE);
      assert.deepEqual(outcome, { status: "recorded", isDuplicate: true, replaced: true });
      const storedPackage = await lookup.find("acme.widgets", "1.0.0-beta");
      assert.deepEqual(storedPackage?.blob, first.blob);
    },
  },
  {
    name: "keeps the bytes of an overwritten version for another version that has them too",
    async run({ lookup, recorder }) {
      const { blob } = newPackage(NAMED);
      await recorder.record(newPackage(NAMED), testCaller);
      await recorder.record(newPackage({ id: "Other", version: "1.0.0" }, { blob }), testCaller);
      await recorder.record(newBuild("c1"), testCaller, OVERWRITE);
      assert.deepEqual((await lookup.find("other", "1.0.0"))?.blob, blob);
      const copy = { ...blob, key: `${blob.key}.second` };
      const third = newPackage({ id: "Third", version: "1.0.0" }, { blob: copy });
      const outcome = await recorder.record(third, testCaller);
      assert.deepEqual(outcome, { status: "recorded", isDuplicate: true, replaced: false });
    },
  },
  {
    name: "forgets bytes that no version has any more",
    async run({ lookup, recorder }) {
      const { blob } = newPackage(NAMED);
      await recorder.record(newPackage(NAMED), testCaller);
      await recorder.record(newBuild("c1"), testCaller, OVERWRITE);
      const copy = { ...blob, key: `${blob.key}.second` };
      const other = newPackage({ id: "Other", version: "1.0.0" }, { blob: copy });
      const outcome = await recorder.record(other, testCaller);
      assert.deepEqual(outcome, { status: "recorded", isDuplicate: false, replaced: false });
      assert.deepEqual((await lookup.find("other", "1.0.0"))?.blob, copy);
    },
  },
  {
    name: "leaves one whole build when overwrites race, and every one of them counts",
    async run({ lookup, recorder }) {
      await recorder.record(newPackage(NAMED), testCaller);
      const builds = Array.from({ length: 10 }, (_, index) => newBuild(`c${index}`));
      const outcomes = await Promise.all(
        builds.map((build) => recorder.record(build, testCaller, OVERWRITE)),
      );
      for (const outcome of outcomes) {
        assert.deepEqual(outcome, { status: "recorded", isDuplicate: false, replaced: true });
      }
      await assertWhole({ lookup }, builds);
    },
  },
  {
    name: "takes a first push and an overwrite of it at once: both, or the overwrite alone",
    async run({ lookup, recorder }) {
      const [pushed, over] = [newPackage(NAMED), newBuild("c1")];
      const [push, overwrite] = await Promise.all([
        recorder.record(pushed, testCaller),
        recorder.record(over, testCaller, OVERWRITE),
      ]);
      assert.equal(overwrite.status, "recorded");
      const storedPackage = await lookup.find("acme.widgets", "1.0.0-beta");
      assert.deepEqual(storedPackage?.blob, over.blob, `the push was ${push.status}`);
      assert.equal((await lookup.versions("acme.widgets")).length, 1);
    },
  },
  {
    name: "either overwrites or deletes when both race, and what is left is whole",
    async run({ lookup, recorder, lifecycle }) {
      await recorder.record(newPackage(NAMED), testCaller);
      const build = newBuild("c1");
      const [recorded, deleted] = await Promise.all([
        recorder.record(build, testCaller, OVERWRITE),
        lifecycle.delete("acme.widgets", "1.0.0-beta", testCaller),
      ]);
      assert.equal(deleted, "deleted");
      assert.ok(recorded.status === "recorded" || recorded.status === "tombstone");
      assert.deepEqual(await lookup.versions("acme.widgets"), []);
      assert.equal((await lifecycle.tombstones("acme.widgets")).length, 1);
    },
  },
  {
    name: "searches what an overwritten version says now",
    async run({ recorder, search }) {
      const old = { title: "Bright Lamp", isSemVer2: false };
      await recorder.record(newPackage(NAMED, old), testCaller);
      await recorder.record(newBuild("c1", { title: "Loud Horn" }), testCaller, OVERWRITE);
      assert.equal((await search.search(queryFor("horn"))).totalHits, 1);
      assert.equal((await search.search(queryFor("lamp"))).totalHits, 0);
    },
  },
  {
    name: "hides an overwritten version from old clients when it needs SemVer 2 now",
    async run({ recorder, search }) {
      const semVer1 = { ...queryFor(""), semVer2: false };
      const earlier = newPackage({ ...NAMED, version: "0.9.0" });
      await recorder.record(earlier, testCaller);
      await recorder.record(newPackage(NAMED), testCaller);
      await recorder.record(newBuild("c1", { isSemVer2: true }), testCaller, OVERWRITE);
      const { hits } = await search.search(semVer1);
      assert.deepEqual(
        hits.map(({ versions }) => versions.map(({ version }) => version)),
        [["0.9.0"]],
      );
      await recorder.record(newBuild("c2", { isSemVer2: false }), testCaller, OVERWRITE);
      const back = (await search.search(semVer1)).hits[0]?.versions.at(-1);
      assert.equal(back?.version, "1.0.0-BETA");
    },
  },
];

/** Another build of the version, in another casing. */
function newBuild(byte: string, overrides: GivenPackage = {}): NewPackage {
  const sha256 = byte.padEnd(2, "0").repeat(32);
  const blob = { key: `nuget/blobs/sha256/${byte}/${sha256}.1`, size: 77, sha256 };
  const nuspec = Buffer.from(`<package>build ${byte}</package>`);
  const identity = { id: "ACME.Widgets", version: "1.0.0-BETA" };
  const details = JSON.stringify({ build: byte, ...overrides });
  return newPackage(identity, { blob, nuspec, details, ...overrides });
}

/** Bytes, manifest and details are all of one build. */
async function assertWhole(
  { lookup }: Pick<CatalogPorts, "lookup">,
  builds: readonly NewPackage[],
): Promise<void> {
  const storedPackage = await lookup.find("acme.widgets", "1.0.0-beta");
  const build = builds.find(({ blob }) => blob.key === storedPackage?.blob.key);
  assert.ok(build);
  assert.deepEqual(storedPackage?.blob, build.blob);
  assert.deepEqual(Buffer.from(storedPackage.nuspec), Buffer.from(build.nuspec));
  const [record] = await lookup.versions("acme.widgets");
  assert.equal(record?.details, build.details);
}
