import { parseDigest } from "@sealhouse/oci-distribution";
import type { Digest, Holds } from "@sealhouse/oci-distribution";
import type { Changes } from "../../transactions/changes.ts";
import type { QueryPort, Statement } from "../../raw/query-port.ts";
import { optionalTimeOf, textOf } from "../../raw/row.ts";
import { createHoldChanges } from "./hold-changes.ts";

/** A digest that must not be collected or deleted for now. */
export type Hold = { readonly digest: Digest; readonly holder: string; readonly until?: Date };

/** Lookups for operators. */
export interface HoldList {
  /** Up to `limit` that are in force, by digest. */
  list(limit: number): Promise<readonly Hold[]>;
}

const RELEASE: Statement = { name: "hold-release", sql: "delete from oci_holds where holder = ?" };
const LIST: Statement = {
  name: "hold-list",
  sql: `select digest, holder, held_until from oci_holds
    where held_until is null or held_until > ? order by digest, holder limit ?`,
};

export function createHolds(port: QueryPort, changes: Changes): Holds & HoldList {
  return {
    ...createHoldChanges(changes),
    async release(holder) {
      await port.run(RELEASE, [holder]);
    },
    async list(limit) {
      return (await port.all(LIST, [changes.now(), limit])).map((row) => {
        const until = optionalTimeOf(row, "held_until");
        const digest = parseDigest(textOf(row, "digest"));
        return { digest, holder: textOf(row, "holder"), ...(until && { until }) };
      });
    },
  };
}
