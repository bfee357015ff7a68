import { LostLeaseError } from "@sealhouse/oci-distribution";
import type { RunKey } from "@sealhouse/oci-distribution";
import type { PlainUnit } from "../../orm/unit-of-work.ts";
import { numberOf } from "../../raw/row.ts";

const FENCE = "select fence from leases where name = ?";

/**
 * Rule R10, within the transaction that writes: nobody else can take the lease before its commit.
 *
 * @throws LostLeaseError
 */
export async function checkFence(
  { read, forShare }: PlainUnit,
  { lease, fence }: Pick<RunKey, "lease" | "fence">,
): Promise<void> {
  const [row] = await read({ name: `gc-fence${forShare}`, sql: `${FENCE}${forShare}` }, [lease]);
  if (!row || numberOf(row, "fence") !== fence) throw new LostLeaseError(lease);
}
