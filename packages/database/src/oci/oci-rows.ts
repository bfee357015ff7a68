import { LockMode } from "@mikro-orm/core";
import { Blob } from "../entities/blob.ts";
import { OciBlobLink, OciRepository } from "../entities/oci.ts";
import type { Unit } from "../orm/unit-of-work.ts";

export async function findRepository({ catalog }: Unit, name: string) {
  const where = { name };
  const row = await catalog.findOne(OciRepository, where, {
    fields: ["id"],
    disableIdentityMap: true,
  });
  return row?.id;
}

/** A repository comes to be with its first blob or manifest. */
export async function openRepository(unit: Unit, name: string, now: Date): Promise<number> {
  const known = await findRepository(unit, name);
  return known ?? unit.catalog.insert(OciRepository, { name, createdAt: now, pulls: 0 });
}

export type LockedBlob = {
  readonly id: number;
  readonly digest: string;
  readonly size: number;
  readonly touchedAt: Date;
};

/**
 * Locks the live ones of these blobs until the commit, always in the order of their digests, so
 * that transactions which need some of the same never wait for each other in a circle (rule R2).
 */
export async function lockLiveBlobs(
  { catalog }: Unit,
  digests: readonly string[],
): Promise<readonly LockedBlob[]> {
  if (digests.length === 0) return [];
  return catalog.find(
    Blob,
    { protocol: "oci", digest: { $in: [...digests] }, state: "live" },
    {
      fields: ["id", "digest", "size", "touchedAt"],
      orderBy: { digest: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      disableIdentityMap: true,
    },
  );
}

const HOLD = {
  name: "oci-hold",
  sql: `select 1 from oci_holds where digest = ? and (held_until is null or held_until > ?)
    limit 1`,
};

/** Rules R3 and R12: somebody needs the digest for now, whatever points to it. */
export async function isDigestHeld(
  { read }: Pick<Unit, "read">,
  digest: string,
  now: Date,
): Promise<boolean> {
  return (await read(HOLD, [digest, now])).length > 0;
}

export async function linkBlob(
  { catalog }: Unit,
  link: { readonly repository: number; readonly blob: number },
  now: Date,
): Promise<void> {
  const renewed = await catalog.nativeUpdate(OciBlobLink, link, { linkedAt: now });
  if (renewed === 0) await catalog.insert(OciBlobLink, { ...link, linkedAt: now });
}
