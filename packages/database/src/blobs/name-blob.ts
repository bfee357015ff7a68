import { LockMode } from "@mikro-orm/core";
import { Blob } from "../entities/blob.ts";
import type { Unit } from "../orm/unit-of-work.ts";

export type BlobToName = {
  readonly protocol: "nuget" | "npm" | "oci";
  readonly digest: string;
  readonly key: string;
  readonly size: number;
};

/**
 * Gives bytes their row, or finds the row they have, locked until the commit either way. `surplus`:
 * a live object under another key has these bytes already. A row that the collector is deleting
 * counts as absent (rule R7): it gets the new object, and the collector, which only removes the
 * object it named, leaves it alone.
 */
export async function nameBlob(
  { catalog }: Unit,
  { protocol, digest, key, size }: BlobToName,
  now: Date,
): Promise<{ readonly id: number; readonly surplus: boolean }> {
  const known = await catalog.findOne(
    Blob,
    { protocol, digest },
    { lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true },
  );
  const fresh = { storageKey: key, size, state: "live", touchedAt: now };
  if (!known) {
    const row = { protocol, digest, ...fresh, createdAt: now };
    return { id: await catalog.insert(Blob, row), surplus: false };
  }
  if (known.state === "live") {
    await catalog.nativeUpdate(Blob, { id: known.id }, { touchedAt: now });
    return { id: known.id, surplus: known.storageKey !== key };
  }
  await catalog.nativeUpdate(Blob, { id: known.id }, fresh);
  return { id: known.id, surplus: false };
}
