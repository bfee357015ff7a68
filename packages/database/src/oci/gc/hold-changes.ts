import type { Holds } from "@sealhouse/oci-distribution";
import type { Changes } from "../../transactions/changes.ts";
import type { Statement } from "../../raw/query-port.ts";

const RENEW: Statement = {
  name: "hold-renew",
  sql: "update oci_holds set held_until = ? where digest = ? and holder = ?",
};
const OPEN: Statement = {
  name: "hold-open",
  sql: "insert into oci_holds (digest, holder, held_until) values (?, ?, ?)",
};
const EXPIRE: Statement = {
  name: "hold-expire",
  sql: "delete from oci_holds where held_until < ?",
};

export type HoldChanges = Pick<Holds, "hold">;

/** In one order, so that two who hold some of the same never wait for each other in a circle. */
export function createHoldChanges(changes: Changes): HoldChanges {
  return {
    hold: (digests, holder, until) =>
      changes.transaction(async ({ run }) => {
        await run(EXPIRE, [changes.now()]);
        for (const digest of [...new Set(digests)].toSorted()) {
          const renewed = await run(RENEW, [until, digest, holder]);
          if (renewed === 0) await run(OPEN, [digest, holder, until]);
        }
      }),
  };
}
