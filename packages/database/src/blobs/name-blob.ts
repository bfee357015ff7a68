import { Blob } from "../entities/blob.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import { numberOf, textOf } from "../raw/row.ts";

const FIND = "select id, state, storage_key from blobs where protocol = ? and digest = ?";

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
  { catalog, read, forUpdate }: Unit,
  { protocol, digest, key, size }: BlobToName,
  now: Date,
): Promise<{ readonly id: number; readonly surplus: boolean }> {
  const [known] = await read({ name: `blob-for-change${forUpdate}`, sql: `${FIND}${forUpdate}` }, [
    protocol,
    digest,
  ]);
  const fresh = { storageKey: key, size, state: "live", touchedAt: now };
  if (!known) {
    const row = { protocol, digest, ...fresh, createdAt: now };
    return { id: await catalog.insert(Blob, row), surplus: false };
  }
  const id = numberOf(known, "id");
  const isLive = textOf(known, "state") === "live";
  await catalog.nativeUpdate(Blob, { id }, isLive ? { touchedAt: now } : fresh);
  return { id, surplus: isLive && textOf(known, "storage_key") !== key };
}
