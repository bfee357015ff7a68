import { createHash } from "node:crypto";

/** Leases are rows that stay, so their number is limited. */
const LANES = 16_384;

/** Returns the name of the lease for one key: one of 16,384. Two keys that share one wait for each
 * other. */
export function laneOf(purpose: "upstream-document" | "upstream-artifact", key: string): string {
  const digest = createHash("sha256").update(key).digest();
  return `${purpose}/${digest.readUInt32BE(0) % LANES}`;
}
