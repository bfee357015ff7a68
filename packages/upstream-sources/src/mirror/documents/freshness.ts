import type { SourceSettings } from "../../sources/package-source.ts";
import type { KeptDocument } from "../ports.ts";

/**
 * `fresh`: served without a question to the source. `old`: served, and compared with the source in
 * the background. `expired`: the source must answer first. An absent document is fresh or expired.
 */
export type Freshness = "fresh" | "old" | "expired";

type Times = Pick<SourceSettings, "revalidateAfterMs" | "staleIfErrorMs" | "negativeForMs">;

export function freshnessOf(
  { status, checkedAt }: Pick<KeptDocument, "status" | "checkedAt">,
  { revalidateAfterMs, staleIfErrorMs, negativeForMs }: Times,
  now: Date,
): Freshness {
  const ageMs = now.getTime() - checkedAt.getTime();
  if (status === "absent") return ageMs < negativeForMs ? "fresh" : "expired";
  if (ageMs < revalidateAfterMs) return "fresh";
  return ageMs < Math.max(staleIfErrorMs, revalidateAfterMs) ? "old" : "expired";
}
