import assert from "node:assert/strict";
import type { Seal } from "../stored-package.ts";
import type { ContractTest } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";

/** Contract of catalogs: lookup and recorder. */
export const recorderCases: readonly ContractTest[] = [
  {
    name: "knows nothing of a package that was never recorded",
    async run({ lookup, recorder }) {
      assert.deepEqual(await lookup.versions("acme.widgets"), []);
      assert.equal(await lookup.find("acme.widgets", "1.0.0"), undefined);
      assert.equal(await recorder.setListed("acme.widgets", "1.0.0", false, testCaller), "absent");
    },
  },
  {
    name: "gives back a recorded version as it was, under the lower-cased names",
    async run({ lookup, recorder }) {
      const pushedPackage = newPackage({ id: "Acme.Widgets", version: "1.2.3-Beta.1+meta.7" });
      const outcome = await recorder.record(pushedPackage, testCaller);
      assert.deepEqual(outcome, { status: "recorded", isDuplicate: false, replaced: false });

      const [record, ...others] = await lookup.versions("acme.widgets");
      assert.deepEqual(others, []);
      assert.deepEqual(record, {
        id: "Acme.Widgets",
        version: "1.2.3-Beta.1",
        fullVersion: "1.2.3-Beta.1+meta.7",
        isPrerelease: true,
        isSemVer2: true,
        listed: true,
        publishedAt: pushedPackage.publishedAt,
        downloads: 0,
        size: pushedPackage.blob.size,
        origin: "Published",
        publishedBy: testCaller.actor,
        details: pushedPackage.details,
      });

      const storedPackage = await lookup.find("acme.widgets", "1.2.3-beta.1");
      assert.ok(storedPackage);
      assert.equal(storedPackage.id, "Acme.Widgets");
      assert.equal(storedPackage.version, "1.2.3-Beta.1");
      assert.deepEqual(storedPackage.blob, pushedPackage.blob);
      assert.deepEqual(Buffer.from(storedPackage.nuspec), Buffer.from(pushedPackage.nuspec));
      assert.equal(storedPackage.seal, undefined);
    },
  },
  {
    name: "gives versions in order, in short or in full, all or only those asked for",
    async run({ lookup, recorder }) {
      for (const version of ["1.10.0", "1.2.0", "1.2.0-RC.1", "2.0.0"]) {
        await recorder.record(newPackage({ id: "Acme", version }), testCaller);
      }
      await recorder.record(newPackage({ id: "Acme.Other", version: "1.2.0" }), testCaller);
      await recorder.setListed("acme", "1.2.0", false, testCaller);
      const all = ["1.2.0-RC.1", "1.2.0", "1.10.0", "2.0.0"];
      const versionsOf = (entries: readonly { readonly version: string }[]) =>
        entries.map(({ version }) => version);
      assert.deepEqual(versionsOf(await lookup.versions("acme")), all);
      const some = await lookup.versions("acme", ["2.0.0", "1.2.0-rc.1", "3.0.0"]);
      assert.deepEqual(versionsOf(some), ["1.2.0-RC.1", "2.0.0"]);
      assert.deepEqual(await lookup.versions("acme", []), []);
      const summaries = await lookup.summaries("acme");
      assert.deepEqual(versionsOf(summaries), all);
      const [prerelease, unlisted] = summaries;
      const acme = { id: "Acme", isPrerelease: false, isSemVer2: false };
      assert.deepEqual(unlisted, { ...acme, version: "1.2.0", listed: false });
      const flags = { isPrerelease: true, isSemVer2: true, listed: true };
      assert.deepEqual(prerelease, { ...acme, version: "1.2.0-RC.1", ...flags });
      assert.deepEqual(await lookup.summaries("acme.unknown"), []);
    },
  },
  {
    name: "tells who has published versions, the first one first",
    async run({ totals, recorder }) {
      const publishers = ["token:b", "token:a", "token:b"];
      for (const [index, actor] of publishers.entries()) {
        await recorder.record(newPackage({ id: "Acme", version: `1.${index}.0` }), { actor });
      }
      await recorder.record(newPackage({ id: "Acme.Other", version: "1.0.0" }), { actor: "c" });
      assert.deepEqual(await totals.of("acme"), {
        downloads: 0,
        publishers: ["token:b", "token:a"],
      });
      assert.deepEqual(await totals.of("acme.unknown"), { downloads: 0, publishers: [] });
    },
  },
  {
    name: "keeps the details text byte for byte",
    async run({ lookup, recorder }) {
      const details = '{"zeta":1,"alpha":"\\u00e9 é 🦭","list":[3,1,2],"empty":{}}';
      await recorder.record(newPackage({ id: "Acme", version: "1.0.0" }, { details }), testCaller);
      assert.equal((await lookup.versions("acme"))[0]?.details, details);
    },
  },
  {
    name: "keeps the seal of a signed version",
    async run({ lookup, recorder }) {
      const seal: Seal = {
        plan: Uint8Array.of(0, 1, 2, 254, 255),
        fingerprint: "ab".repeat(32),
        size: 4321,
        signedAt: new Date("2026-01-02T03:04:06.789Z"),
      };
      await recorder.record(newPackage({ id: "Acme", version: "1.0.0" }, { seal }), testCaller);
      const storedSeal = (await lookup.find("acme", "1.0.0"))?.seal;
      assert.ok(storedSeal);
      assert.deepEqual(Buffer.from(storedSeal.plan), Buffer.from(seal.plan));
      assert.deepEqual({ ...storedSeal, plan: seal.plan }, seal);
    },
  },
  {
    name: "calls the same version in any casing, and with other metadata, a duplicate",
    async run({ lookup, recorder }) {
      const first = newPackage({ id: "Acme.Widgets", version: "1.0.0-Beta" });
      await recorder.record(first, testCaller);
      for (const [id, version] of [
        ["Acme.Widgets", "1.0.0-Beta"],
        ["acme.WIDGETS", "1.0.0-beta"],
        ["Acme.Widgets", "1.0.0.0-BETA+other"],
      ] as const) {
        const again = newPackage({ id, version }, { blob: blobOf("ee") });
        assert.deepEqual(await recorder.record(again, testCaller), { status: "exists" });
      }
      assert.equal((await lookup.versions("acme.widgets")).length, 1);
      assert.deepEqual((await lookup.find("acme.widgets", "1.0.0-beta"))?.blob, first.blob);
    },
  },
  {
    name: "records exactly one of twenty racing uploads of a version, and its bytes win",
    async run({ lookup, recorder }) {
      const uploads = Array.from({ length: 20 }, (_, index) =>
        newPackage(
          { id: "Acme.Raced", version: "1.0.0" },
          { blob: blobOf((index + 16).toString(16)) },
        ),
      );
      const outcomes = await Promise.all(
        uploads.map(async (upload) => ({
          upload,
          outcome: await recorder.record(upload, testCaller),
        })),
      );
      const [winner, ...others] = outcomes.filter(({ outcome }) => outcome.status === "recorded");
      assert.ok(winner);
      assert.deepEqual(others, []);
      assert.equal((await lookup.versions("acme.raced")).length, 1);
      assert.deepEqual((await lookup.find("acme.raced", "1.0.0"))?.blob, winner.upload.blob);
    },
  },
  {
    name: "records all of twenty racing versions of one package",
    async run({ lookup, recorder }) {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, minor) =>
          recorder.record(newPackage({ id: "Acme", version: `1.${minor}.0` }), testCaller),
        ),
      );
      assert.ok(outcomes.every(({ status }) => status === "recorded"));
      assert.equal((await lookup.versions("acme")).length, 20);
    },
  },
  {
    name: "names bytes it already knows by the copy it has, and calls the new copy a duplicate",
    async run({ lookup, recorder }) {
      const first = newPackage({ id: "Acme.One", version: "1.0.0" });
      const copy = { ...first.blob, key: `${first.blob.key}.second` };
      await recorder.record(first, testCaller);
      const second = newPackage({ id: "Acme.Two", version: "1.0.0" }, { blob: copy });
      const outcome = await recorder.record(second, testCaller);
      assert.deepEqual(outcome, { status: "recorded", isDuplicate: true, replaced: false });
      assert.deepEqual((await lookup.find("acme.two", "1.0.0"))?.blob, first.blob);
    },
  },
  {
    name: "unlists and relists a version, and tells when nothing changed",
    async run({ lookup, recorder }) {
      await recorder.record(newPackage({ id: "Acme", version: "1.0.0" }), testCaller);
      await recorder.record(newPackage({ id: "Acme", version: "2.0.0" }), testCaller);
      const listed = async () =>
        new Map((await lookup.versions("acme")).map((record) => [record.version, record.listed]));

      assert.equal(await recorder.setListed("acme", "1.0.0", false, testCaller), "changed");
      assert.equal(await recorder.setListed("acme", "1.0.0", false, testCaller), "unchanged");
      assert.deepEqual(
        [(await listed()).get("1.0.0"), (await listed()).get("2.0.0")],
        [false, true],
      );
      assert.ok(await lookup.find("acme", "1.0.0"), "an unlisted version can still be downloaded");

      assert.equal(await recorder.setListed("acme", "1.0.0", true, testCaller), "changed");
      assert.equal((await listed()).get("1.0.0"), true);
      assert.equal(await recorder.setListed("acme", "3.0.0", true, testCaller), "absent");
    },
  },
];

function blobOf(byte: string) {
  const sha256 = byte.padStart(2, "0").repeat(32);
  return { key: `nuget/blobs/sha256/${byte}/${sha256}.1`, size: 99, sha256 };
}
