import { UniqueKeyError } from "./raw/query-port.ts";
import type { QueryPort, Statement } from "./raw/query-port.ts";
import { numberOf } from "./raw/row.ts";

/**
 * A named place that one holder has at a time, across instances. Times are the instances' own, so
 * leases should be long against the difference of their clocks.
 */
export interface Leases {
  /** Takes or keeps the place for `leaseMs`. The number rises with every change of holder: writes
   * made under the lease carry it, so that a holder who slept too long is told apart. Undefined
   * when another holds it. */
  acquire(name: string, holder: string, leaseMs: number): Promise<number | undefined>;
  /** Gives the place up early; nothing happens when another has it by now. */
  release(name: string, holder: string): Promise<void>;
}

const KEEP: Statement = {
  name: "lease-keep",
  sql: "update leases set held_until = ? where name = ? and holder = ? and held_until > ?",
};
const TAKE: Statement = {
  name: "lease-take",
  sql: `update leases set holder = ?, fence = fence + 1, held_until = ?
    where name = ? and held_until <= ?`,
};
const OPEN: Statement = {
  name: "lease-open",
  sql: "insert into leases (name, holder, fence, held_until) values (?, ?, 1, ?)",
};
const READ: Statement = {
  name: "lease-read",
  sql: "select fence from leases where name = ? and holder = ? and held_until > ?",
};
const RELEASE: Statement = {
  name: "lease-release",
  sql: "update leases set held_until = ? where name = ? and holder = ?",
};

export function createLeases(port: QueryPort, now: () => Date): Leases {
  return {
    async acquire(name, holder, leaseMs) {
      const at = now();
      const until = new Date(at.getTime() + leaseMs);
      const held =
        (await port.run(KEEP, [until, name, holder, at])) +
        (await port.run(TAKE, [holder, until, name, at]));
      if (held === 0) await open(port, [name, holder, until]);
      const row = await port.one(READ, [name, holder, at]);
      return row && numberOf(row, "fence");
    },
    async release(name, holder) {
      await port.run(RELEASE, [new Date(0), name, holder]);
    },
  };
}

async function open(port: QueryPort, row: [string, string, Date]): Promise<void> {
  try {
    await port.run(OPEN, row);
  } catch (error) {
    // The place exists and is taken.
    if (!(error instanceof UniqueKeyError)) throw error;
  }
}
