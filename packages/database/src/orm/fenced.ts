import { currentFence, LostLeaseError } from "@sealhouse/jobs";
import type { Fence } from "@sealhouse/jobs";
import { numberOf } from "../raw/row.ts";
import type { PlainUnit } from "./unit-of-work.ts";

type Run<Unit extends Omit<PlainUnit, "askedBy">> = <T>(
  work: (unit: Unit) => Promise<T>,
) => Promise<T>;

const FENCE = "select fence from leases where name = ?";

/** Transactions that change nothing once the lease that they are made under has another holder. */
export function fenced<Unit extends Omit<PlainUnit, "askedBy">>(run: Run<Unit>): Run<Unit> {
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
 * Within the transaction that writes: nobody else can take the lease before its commit.
 *
 * @throws LostLeaseError
 */
async function checkFence(
  { read, forShare }: Pick<PlainUnit, "read" | "forShare">,
  { lease, token }: Fence,
): Promise<void> {
  const [row] = await read({ name: `fence${forShare}`, sql: `${FENCE}${forShare}` }, [lease]);
  if (!row || numberOf(row, "fence") !== token) throw new LostLeaseError(lease);
}
