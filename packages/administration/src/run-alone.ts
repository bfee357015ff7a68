import { LostLeaseError, runOperatorWork } from "@sealhouse/jobs";
import type { Asked } from "./action.ts";
import { busy, conflict } from "./refusal.ts";

/**
 * Runs long work that runs once at a time on all instances. `what` names it for people.
 *
 * @throws RefusedActionError with the reason `busy`
 */
export async function runAlone<Result>(
  { parts, signal }: Pick<Asked<unknown>, "parts" | "signal">,
  { name, what }: { readonly name: string; readonly what: string },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { leases } = await parts.rows();
  const outcome = await runOperatorWork(leases, { name, signal }, work).catch((error: unknown) => {
    if (!(error instanceof LostLeaseError)) throw error;
    throw conflict("The database did not answer in time. Run it again; what was done stays.");
  });
  if (outcome.status === "busy") throw busy(what, outcome);
  return outcome.result;
}
