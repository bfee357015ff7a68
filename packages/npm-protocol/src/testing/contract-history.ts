import assert from "node:assert/strict";
import { alice, bob, newVersion, storedFormOf } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

export const historyContract: readonly NpmPortsTest[] = [
  {
    name: "tells of a package all but its versions, and how many there are",
    async run({ lookup, recorder, history }) {
      assert.equal(await history.summary("demo"), undefined);
      await recorder.publish(newVersion({ readme: "# One" }), alice);
      const next = newVersion({ version: "2.0.0", readme: "# Two", tags: ["next"] });
      await recorder.publish(next, bob);
      const npmPackage = await lookup.find("demo");
      assert.ok(npmPackage);
      const { versions: _, ...rest } = npmPackage;
      const summary = await history.summary("demo");
      assert.deepEqual(summary, { ...rest, versionCount: 2 });
      assert.equal(summary?.readme, "# One");
      assert.equal(await history.summary("Demo"), undefined);
    },
  },
  {
    name: "tells all of one version, and who published it",
    async run({ recorder, history, lifecycle }) {
      const version = newVersion({ name: "@acme/demo", version: "1.0.0-rc.1" });
      await recorder.publish(version, bob);
      const details = await history.version("@acme/demo", "1.0.0-rc.1");
      const extras = { publishedBy: "bob", downloads: 0, size: 7 };
      assert.deepEqual(details, { ...storedFormOf(version), ...extras });
      assert.equal(await history.version("@acme/demo", "1.0.0"), undefined);
      assert.equal(await history.version("demo", "1.0.0-rc.1"), undefined);

      await lifecycle.deprecate("@acme/demo", new Map([["1.0.0-rc.1", "old"]]), alice);
      const deprecated = await history.version("@acme/demo", "1.0.0-rc.1");
      assert.equal(deprecated?.deprecated, "old");
    },
  },
  {
    name: "shows no signature of a version before the key is announced",
    async run({ recorder, history, signingKeys }) {
      const signatures = [{ keyid: "SHA256:a", sig: "MEQ=" }];
      await recorder.publish(newVersion({ signatures }), alice);
      assert.equal((await history.version("demo", "1.0.0"))?.signatures, undefined);
      const encryptedKey = new Uint8Array([1]);
      const key = { keyId: "SHA256:a", publicKey: "AAAA", createdAt: new Date(), encryptedKey };
      await signingKeys.add(key);
      await signingKeys.announce("all");
      assert.deepEqual((await history.version("demo", "1.0.0"))?.signatures, signatures);
    },
  },
  {
    name: "pages through the versions, what was published last first",
    async run({ recorder, history, lifecycle }) {
      for (const version of ["1.0.0", "10.0.0", "2.0.0"]) {
        await recorder.publish(newVersion({ version }), alice);
      }
      await recorder.publish(newVersion({ name: "other", version: "3.0.0" }), alice);
      await lifecycle.deprecate("demo", new Map([["10.0.0", "too far"]]), alice);
      const numbers = async (from: number, size: number) =>
        (await history.newest("demo", { from, size })).map(({ version }) => version);
      assert.deepEqual(await numbers(0, 10), ["2.0.0", "10.0.0", "1.0.0"]);
      assert.deepEqual(await numbers(1, 1), ["10.0.0"]);
      assert.deepEqual(await numbers(3, 10), []);
      const [line] = await history.newest("demo", { from: 1, size: 1 });
      assert.equal(line?.deprecated, "too far");
      assert.equal(line?.unpackedSize, 5_000_000_000);
      assert.equal(line?.downloads, 0);
    },
  },
];
