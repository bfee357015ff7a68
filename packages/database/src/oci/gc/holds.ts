import { parseDigest } from "@sealhouse/oci-distribution";
import type { Digest, Holds } from "@sealhouse/oci-distribution";
import type { Caller } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../../entities/name-length.ts";
import type { PortContext } from "../../port-context.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import { ociParam } from "../oci-param.ts";

/** A digest that must not be collected or deleted for now. */
export type Hold = { readonly digest: Digest; readonly holder: string; readonly until?: Date };

/** Lookups for operators. */
export interface HoldList {
  /** Up to `limit` that are in force, by digest. */
  list(limit: number): Promise<readonly Hold[]>;
}

const HOLDER = { holder: param.text(NAME_LENGTH.actor) };
const HOLD = { ...HOLDER, digest: ociParam.digest, until: param.optional(param.time) };

const RENEW = defineStatement("hold-renew", HOLD, (db, { digest, holder, until }) =>
  db
    .updateTable("oci_holds")
    .set({ held_until: until })
    .where("digest", "=", digest)
    .where("holder", "=", holder),
);
export const HOLD_OPEN = defineStatement("hold-open", HOLD, (db, { digest, holder, until }) =>
  db.insertInto("oci_holds").values({ digest, holder, held_until: until }),
);
const EXPIRE = defineStatement("hold-expire", { now: param.time }, (db, { now }) =>
  db.deleteFrom("oci_holds").where("held_until", "<", now),
);
export const HOLDS_RELEASE = defineStatement("hold-release", HOLDER, (db, { holder }) =>
  db.deleteFrom("oci_holds").where("holder", "=", holder),
);
const LIST = defineStatement(
  "hold-list",
  { now: param.time, limit: param.whole },
  (db, { now, limit }, own) =>
    own.limit(
      db
        .selectFrom("oci_holds")
        .where((hold) => hold.or([hold("held_until", "is", null), hold("held_until", ">", now)]))
        .select(["digest", "holder", "held_until"])
        .orderBy("digest")
        .orderBy("holder"),
      limit,
    ),
);

export function createHolds({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): Holds & HoldList {
  return {
    hold: (digests, holder, until, caller) =>
      changes.transaction(async (unit) => {
        await unit.queries.run(EXPIRE, { now: changes.now() });
        // In one order, so that two holders never wait for each other in a circle.
        for (const digest of [...new Set(digests)].toSorted()) {
          const hold = { digest, holder, until };
          if ((await unit.queries.run(RENEW, hold)) === 0) await unit.queries.run(HOLD_OPEN, hold);
          const detail = { change: "added", ...(until && { until: until.toISOString() }) };
          if (caller) await noteHold(changes, unit, { digest, caller, detail });
        }
      }),
    release: (holder, by) =>
      changes.transaction(async (unit) => {
        const released = await unit.queries.run(HOLDS_RELEASE, { holder });
        if (by && released > 0) {
          await noteHold(changes, unit, { ...by, detail: { change: "removed" } });
        }
      }),
    async list(limit) {
      const rows = await queries.all(LIST, { now: changes.now(), limit });
      return rows.map(({ digest, holder, held_until: until }) => ({
        digest: parseDigest(digest),
        holder,
        ...(until && { until }),
      }));
    },
  };
}

async function noteHold(
  changes: PortContext["changes"],
  unit: Unit,
  {
    digest,
    ...event
  }: {
    readonly digest: Digest;
    readonly caller: Caller;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await changes.event(unit, { type: "hold.changed", subject: `oci/${digest}`, ...event });
}
