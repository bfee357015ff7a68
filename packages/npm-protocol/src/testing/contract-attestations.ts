import assert from "node:assert/strict";
import { alice, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

const provenance = {
  predicateType: "https://slsa.dev/provenance/v1",
  bundle: '{ "mediaType":"x", "a":"Zo\u00eb \u2028" }\n',
};
const other = { predicateType: "https://example.test/other", bundle: "{}" };

/** Contract of catalogs: statements on versions. */
export const attestationsContract: readonly NpmPortsTest[] = [
  {
    name: "keeps the statements of a version byte by byte, and says which tells its origin",
    async run({ recorder, lookup, attestations }) {
      const made = { attestations: [other, provenance] };
      await recorder.publish(newVersion({ version: "1.0.0", ...made }), alice);
      await recorder.publish(newVersion({ version: "2.0.0" }), alice);
      assert.deepEqual(await attestations.of("demo", "1.0.0"), [other, provenance]);
      assert.deepEqual(await attestations.of("demo", "2.0.0"), []);
      assert.deepEqual(await attestations.of("demo", "3.0.0"), []);
      assert.deepEqual(await attestations.of("unknown", "1.0.0"), []);
      const npmPackage = await lookup.find("demo");
      const types = npmPackage?.versions.map((version) => version.provenance);
      assert.deepEqual(types, [provenance.predicateType, undefined]);
    },
  },
  {
    name: "forgets the statements of a version that was unpublished",
    async run({ recorder, lookup, lifecycle, attestations }) {
      const version = newVersion({ version: "1.0.0", attestations: [provenance] });
      await recorder.publish(version, alice);
      await recorder.publish(newVersion({ version: "2.0.0" }), alice);
      const revision = (await lookup.find("demo"))?.revision ?? 0;
      const unpublished = { versions: ["1.0.0"], revision };
      assert.equal(await lifecycle.unpublish("demo", unpublished, alice), "deleted");
      assert.deepEqual(await attestations.of("demo", "1.0.0"), []);
    },
  },
];
