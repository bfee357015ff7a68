import { currentFence, LostLeaseError } from "@sealhouse/jobs";
import type { Fence } from "@sealhouse/jobs";
import { UniqueKeyError } from "../raw/query-port.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Connections } from "./connections.ts";
import type { BareTransaction, BareUnit } from "./unit-of-work.ts";

const HOLD_FENCE = defineStatement("fence", { lease: param.text(255) }, (db, { lease }, own) =>
  own.forShare(db.selectFrom("leases").select("fence").where("name", "=", lease)),
);

/** Wraps transactions so that they fail once another holder has the lease. */
export function fenced(run: BareTransaction): BareTransaction {
  return (work) => {
    const fence = currentFence();
    if (!fence) return run(work);
    return run(async (unit) => {
      await checkFence(unit, fence);
      return work(unit);
    });
  };
}

/**
 * Wraps single writes likewise. In leased work, each has its own transaction, because the fence
 * must hold until the commit. Other writes stay single statements.
 */
export function fencedWrites<C extends Connections>(
  { type, port, queries }: C,
  transaction: BareTransaction,
): Pick<C, "port" | "queries"> {
  const isTaken = type === "Sqlite" ? () => false : port.isUniqueViolation;
  const write = (single: () => Promise<number>, inUnit: (unit: BareUnit) => Promise<number>) => {
    if (!currentFence()) return single();
    return fenced(transaction)(async (unit) => {
      try {
        return await inUnit(unit);
      } catch (error) {
        // A transaction would repeat its work, but a single write depends on no earlier read.
        throw isTaken(error) ? new UniqueKeyError(error) : error;
      }
    });
  };
  return {
    port: {
      ...port,
      run: (...query) =>
        write(
          () => port.run(...query),
          (unit) => unit.run(...query),
        ),
    },
    queries: {
      ...queries,
      run: (...query) =>
        write(
          () => queries.run(...query),
          (unit) => unit.queries.run(...query),
        ),
    },
  };
}

/**
 * Checks within the writing transaction, which prevents another holder from taking the lease before
 * the commit.
 *
 * @throws LostLeaseError
 */
async function checkFence(
  { queries }: Pick<BareUnit, "queries">,
  { lease, token }: Fence,
): Promise<void> {
  const row = await queries.one(HOLD_FENCE, { lease });
  if (row?.fence !== token) throw new LostLeaseError(lease);
}
