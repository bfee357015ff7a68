import type { Staleness } from "@sealhouse/oci-distribution";
import type { FoundAtSource } from "../mirror.ts";

/** Undefined for a document that its source has confirmed. */
export function stalenessOf({ source, answer }: FoundAtSource): Staleness | undefined {
  const { staleSince: since, checkedAt } = answer;
  return since && { source: source.name, since, checkedAt };
}
