import { latestLeaseEnd } from "@sealhouse/jobs";
import type { Leases } from "@sealhouse/jobs";
import { UniqueKeyError } from "./raw/query-port.ts";
import { param } from "./statements/kinds.ts";
import type { Values } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";

const HELD = { name: param.text(255), holder: param.text(128) };
const HOLDING = { ...HELD, until: param.time };
const CHANGING = { ...HOLDING, fence: param.whole, at: param.time };
const TAKING = { ...CHANGING, latest: param.time };

const FIND = defineStatement("lease", { name: param.text(255) }, (db, { name }) =>
  db.selectFrom("leases").select(["holder", "fence", "held_until"]).where("name", "=", name),
);
const KEEP = defineStatement("lease-keep", CHANGING, (db, { name, holder, until, fence, at }) =>
  db
    .updateTable("leases")
    .set({ held_until: until })
    .where("name", "=", name)
    .where("holder", "=", holder)
    .where("fence", "=", fence)
    .where("held_until", ">", at),
);
const TAKE = defineStatement("lease-take", TAKING, (db, parameters) =>
  db
    .updateTable("leases")
    .set((lease) => ({
      holder: parameters.holder,
      fence: lease("fence", "+", lease.lit(1)),
      held_until: parameters.until,
    }))
    .where("name", "=", parameters.name)
    .where("fence", "=", parameters.fence)
    .where((lease) =>
      lease.or([
        lease("held_until", "<=", parameters.at),
        lease("held_until", ">", parameters.latest),
      ]),
    ),
);
const OPEN = defineStatement("lease-open", HOLDING, (db, { name, holder, until }) =>
  db
    .insertInto("leases")
    .values((lease) => ({ name, holder, fence: lease.lit(1), held_until: until })),
);
const FIRST_FENCE = 1;
const RELEASE = defineStatement(
  "lease-release",
  { ...HELD, at: param.time },
  (db, { name, holder, at }) =>
    db
      .updateTable("leases")
      .set({ held_until: at })
      .where("name", "=", name)
      .where("holder", "=", holder),
);

export function createLeases(queries: Queries, now: () => Date): Leases {
  return {
    async acquire(name, holder, leaseMs) {
      const at = now();
      const until = new Date(at.getTime() + leaseMs);
      const row = await queries.one(FIND, { name });
      if (!row) return (await open(queries, { name, holder, until })) ? FIRST_FENCE : undefined;
      const { fence } = row;
      const changing = { name, holder, until, fence, at };
      // A clock that was ahead wrote an end that no lease has: the lease has expired.
      const latest = new Date(latestLeaseEnd(at.getTime()));
      // The statements check again what was read: another holder may have been faster.
      if (isHeld(row.held_until, at)) {
        if (row.holder !== holder) return undefined;
        return (await queries.run(KEEP, changing)) > 0 ? fence : undefined;
      }
      return (await queries.run(TAKE, { ...changing, latest })) > 0 ? fence + 1 : undefined;
    },
    async release(name, holder) {
      await queries.run(RELEASE, { name, holder, at: new Date(0) });
    },
    async heldUntil(name) {
      const row = await queries.one(FIND, { name });
      return row && isHeld(row.held_until, now()) ? row.held_until : undefined;
    },
  };
}

function isHeld(heldUntil: Date, at: Date): boolean {
  return heldUntil > at && heldUntil.getTime() <= latestLeaseEnd(at.getTime());
}

/** Returns whether the lease did not exist, and now has this holder. */
async function open(queries: Queries, holding: Values<typeof HOLDING>): Promise<boolean> {
  try {
    await queries.run(OPEN, holding);
    return true;
  } catch (error) {
    if (error instanceof UniqueKeyError) return false;
    throw error;
  }
}
