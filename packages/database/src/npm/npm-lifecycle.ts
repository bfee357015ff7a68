import type { NpmLifecycle } from "@sealhouse/npm-protocol";
import type { OpenWrites } from "../orm/lazy-writes.ts";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";

const MANIFEST_BYTES: Statement = {
  name: "npm-manifest-bytes",
  sql: `select cast(coalesce(sum(length(v.manifest)), 0) as bigint) as bytes
    from npm_packages p join npm_versions v on v.package_id = p.id where p.name = ?`,
};

/** Reads through the port; whatever changes more than one row goes through `writes`. */
export function createNpmLifecycle(port: QueryPort, writes: OpenWrites): NpmLifecycle {
  return {
    deprecate: async (...asked) => (await writes()).npmLifecycle.deprecate(...asked),
    unpublish: async (...asked) => (await writes()).npmLifecycle.unpublish(...asked),
    async manifestBytes(name) {
      const row = await port.one(MANIFEST_BYTES, [name]);
      return row ? numberOf(row, "bytes") : 0;
    },
  };
}
