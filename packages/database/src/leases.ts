import type { Leases } from "@sealhouse/jobs";
import { UniqueKeyError } from "./raw/query-port.ts";
import type { QueryPort, Statement } from "./raw/query-port.ts";
import { numberOf } from "./raw/row.ts";

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
