import type { NpmLifecycle } from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import { createNpmLifecycleChanges } from "./lifecycle-changes.ts";

const MANIFEST_BYTES: Statement = {
  name: "npm-manifest-bytes",
  sql: `select cast(coalesce(sum(length(v.manifest)), 0) as bigint) as bytes
    from npm_packages p join npm_versions v on v.package_id = p.id where p.name = ?`,
};

export function createNpmLifecycle(port: QueryPort, changes: Changes): NpmLifecycle {
  return {
    ...createNpmLifecycleChanges(changes),
    async manifestBytes(name) {
      const row = await port.one(MANIFEST_BYTES, [name]);
      return row ? numberOf(row, "bytes") : 0;
    },
  };
}
