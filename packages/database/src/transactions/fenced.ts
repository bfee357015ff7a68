import { currentFence, LostLeaseError } from "@sealhouse/jobs";
import type { Fence } from "@sealhouse/jobs";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
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
