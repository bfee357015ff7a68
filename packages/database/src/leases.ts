import type { Leases } from "@sealhouse/jobs";
import { UniqueKeyError } from "./raw/query-port.ts";
import { param } from "./statements/kinds.ts";
import type { Values } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";

const HELD = { name: param.text(255), holder: param.text(128) };
const HOLDING = { ...HELD, until: param.time };

const KEEP = defineStatement(
  "lease-keep",
  { ...HOLDING, at: param.time },
  (db, { name, holder, until, at }) =>
    db
      .updateTable("leases")
      .set({ held_until: until })
      .where("name", "=", name)
      .where("holder", "=", holder)
      .where("held_until", ">", at),
);
const TAKE = defineStatement(
  "lease-take",
  { ...HOLDING, at: param.time },
  (db, { name, holder, until, at }) =>
    db
      .updateTable("leases")
      .set((lease) => ({ holder, fence: lease("fence", "+", lease.lit(1)), held_until: until }))
      .where("name", "=", name)
      .where("held_until", "<=", at),
);
const OPEN = defineStatement("lease-open", HOLDING, (db, { name, holder, until }) =>
  db
    .insertInto("leases")
    .values((lease) => ({ name, holder, fence: lease.lit(1), held_until: until })),
);
const READ = defineStatement(
  "lease-read",
  { ...HELD, at: param.time },
  (db, { name, holder, at }) =>
    db
      .selectFrom("leases")
      .select("fence")
      .where("name", "=", name)
      .where("holder", "=", holder)
      .where("held_until", ">", at),
);
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
      const time = now();
      const until = new Date(time.getTime() + leaseMs);
      const holding = { name, holder, until };
      const heldCount =
        (await queries.run(KEEP, { ...holding, at: time })) +
        (await queries.run(TAKE, { ...holding, at: time }));
      if (heldCount === 0) await open(queries, holding);
      return (await queries.one(READ, { name, holder, at: time }))?.fence;
    },
    async release(name, holder) {
      await queries.run(RELEASE, { name, holder, at: new Date(0) });
    },
  };
}

async function open(queries: Queries, holding: Values<typeof HOLDING>): Promise<void> {
  try {
    await queries.run(OPEN, holding);
  } catch (error) {
    // The lease exists and has a holder.
    if (!(error instanceof UniqueKeyError)) throw error;
  }
}
