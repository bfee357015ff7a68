import { parseDigest } from "@sealhouse/oci-distribution";
import type { Digest, Holds } from "@sealhouse/oci-distribution";
import type { Changes } from "../../orm/changes.ts";
import type { OpenWrites } from "../../orm/first-write.ts";
import type { QueryPort, Statement } from "../../raw/query-port.ts";
import { optionalTimeOf, textOf } from "../../raw/row.ts";

/** A digest that nobody may collect or delete for now. */
export type Hold = { readonly digest: Digest; readonly holder: string; readonly until?: Date };

/** What operators see. */
export interface HoldList {
  /** Up to `limit` that are in force, by digest. */
  list(limit: number): Promise<readonly Hold[]>;
}

const RENEW: Statement = {
  name: "hold-renew",
  sql: "update oci_holds set held_until = ? where digest = ? and holder = ?",
};
const OPEN: Statement = {
  name: "hold-open",
  sql: "insert into oci_holds (digest, holder, held_until) values (?, ?, ?)",
};
const RELEASE: Statement = { name: "hold-release", sql: "delete from oci_holds where holder = ?" };
const EXPIRE: Statement = {
  name: "hold-expire",
  sql: "delete from oci_holds where held_until < ?",
};
const LIST: Statement = {
  name: "hold-list",
  sql: `select digest, holder, held_until from oci_holds
    where held_until is null or held_until > ? order by digest, holder limit ?`,
};

export function createHolds(
  port: QueryPort,
  writes: OpenWrites,
  now: () => Date,
): Holds & HoldList {
  return {
    hold: async (...asked) => (await writes()).holds.hold(...asked),
    async release(holder) {
      await port.run(RELEASE, [holder]);
    },
    async list(limit) {
      return (await port.all(LIST, [now(), limit])).map((row) => {
        const until = optionalTimeOf(row, "held_until");
        const digest = parseDigest(textOf(row, "digest"));
        return { digest, holder: textOf(row, "holder"), ...(until && { until }) };
      });
    },
  };
}

export type HoldChanges = Pick<Holds, "hold">;

/** In one order, so that two who hold some of the same never wait for each other in a circle. */
export function createHoldChanges(changes: Changes): HoldChanges {
  return {
    hold: (digests, holder, until) =>
      changes.plain(async ({ run }) => {
        await run(EXPIRE, [changes.now()]);
        for (const digest of [...new Set(digests)].toSorted()) {
          const renewed = await run(RENEW, [until, digest, holder]);
          if (renewed === 0) await run(OPEN, [digest, holder, until]);
        }
      }),
  };
}
