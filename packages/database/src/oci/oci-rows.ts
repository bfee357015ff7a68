import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import { marks, overList } from "../raw/lists.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../raw/row.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

/** Maximum digests per statement. */
export const DIGESTS_AT_ONCE = 500;

const REPOSITORY: Statement = {
  name: "oci-repository-id",
  sql: "select id from oci_repositories where name = ?",
};
const OPEN: Statement = {
  name: "oci-repository-open",
  sql: "insert into oci_repositories (name, created_at, pulls) values (?, ?, 0)",
};

const TOUCH_MANIFEST = defineStatement(
  "oci-manifest-touch",
  { id: param.whole, now: param.time },
  (db, { id, now }) =>
    db.updateTable("oci_manifests").set({ touched_at: now }).where("id", "=", id),
);

/** Renews the time of use of a manifest and locks it; gives the number of rows. */
export function touchManifest(
  { queries }: Pick<Unit, "queries">,
  id: number,
  now: Date,
): Promise<number> {
  return queries.run(TOUCH_MANIFEST, { id, now });
}

export async function findRepository(
  { read }: Pick<Unit, "read">,
  name: string,
): Promise<number | undefined> {
  const [row] = await read(REPOSITORY, [name]);
  return row && numberOf(row, "id");
}

/** A repository comes to be with its first blob or manifest. */
export async function openRepository(unit: Unit, name: string, now: Date): Promise<number> {
  const known = await findRepository(unit, name);
  if (known !== undefined) return known;
  await unit.run(OPEN, [name, now]);
  const opened = await findRepository(unit, name);
  if (opened === undefined) throw new Error(`the repository ${name} has no row`);
  return opened;
}

export type LockedBlob = {
  readonly id: number;
  readonly digest: string;
  readonly size: number;
  readonly touchedAt: Date;
};

/**
 * Locks the live ones of these blobs until the commit. The order by digest prevents deadlocks (rule
 * R2). Damaged blobs count as absent for a push, which then stores them again.
 */
export async function lockLiveBlobs(
  { read, forUpdate }: Unit,
  digests: readonly string[],
  { damaged }: { readonly damaged?: "too" } = {},
): Promise<readonly LockedBlob[]> {
  const name = damaged === "too" ? "oci-blobs-locked-too" : "oci-blobs-locked";
  const whole = damaged === "too" ? "" : "and damaged_at is null";
  const locked: LockedBlob[] = [];
  for (const some of batches(digests.toSorted(), DIGESTS_AT_ONCE)) {
    const sql = `select id, digest, size, touched_at from blobs
      where protocol = 'oci' and state = 'live' and digest in (${marks(some.length)}) ${whole}
      order by digest${forUpdate}`;
    const rows = await read(overList(name, some.length, sql), some);
    locked.push(...rows.map(lockedOf));
  }
  return locked;
}

function lockedOf(row: Row): LockedBlob {
  return {
    id: numberOf(row, "id"),
    digest: textOf(row, "digest"),
    size: numberOf(row, "size"),
    touchedAt: timeOf(row, "touched_at"),
  };
}

const HOLD = {
  name: "oci-hold",
  sql: `select 1 from oci_holds where digest = ? and (held_until is null or held_until > ?)
    limit 1`,
};

/** Whether a hold protects the digest (rules R3 and R12). */
export async function isDigestHeld(
  { read }: Pick<Unit, "read">,
  digest: string,
  now: Date,
): Promise<boolean> {
  return (await read(HOLD, [digest, now])).length > 0;
}

const RENEW_LINK: Statement = {
  name: "oci-link-renew",
  sql: "update oci_repository_blobs set linked_at = ? where repository_id = ? and blob_id = ?",
};
const LINK: Statement = {
  name: "oci-link",
  sql: "insert into oci_repository_blobs (linked_at, repository_id, blob_id) values (?, ?, ?)",
};

export async function linkBlob(
  { run }: Unit,
  { repository, blob }: { readonly repository: number; readonly blob: number },
  now: Date,
): Promise<void> {
  const link = [now, repository, blob];
  if ((await run(RENEW_LINK, link)) === 0) await run(LINK, link);
}
