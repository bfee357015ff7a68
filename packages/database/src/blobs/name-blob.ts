import type { PlainUnit } from "../orm/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf, optionalTimeOf, textOf } from "../raw/row.ts";

const FIND =
  "select id, state, storage_key, damaged_at from blobs where protocol = ? and digest = ?";
const INSERT: Statement = {
  name: "blob-insert",
  sql: `insert into blobs (protocol, digest, size, storage_key, state, touched_at, created_at)
    values (?, ?, ?, ?, 'live', ?, ?)`,
};
const INSERTED: Statement = { name: "blob-inserted", sql: FIND };
const TOUCH: Statement = {
  name: "blob-touch",
  sql: "update blobs set touched_at = ? where id = ?",
};
const REPLACE: Statement = {
  name: "blob-replace",
  sql: `update blobs set storage_key = ?, size = ?, state = 'live', touched_at = ?,
    verified_at = null, damaged_at = null where id = ?`,
};

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
 * object it named, leaves it alone. So does one whose object was found missing or changed.
 */
export async function nameBlob(
  { read, run, forUpdate }: PlainUnit,
  { protocol, digest, key, size }: BlobToName,
  now: Date,
): Promise<{ readonly id: number; readonly surplus: boolean }> {
  const which = [protocol, digest];
  const [known] = await read(
    { name: `blob-for-change${forUpdate}`, sql: `${FIND}${forUpdate}` },
    which,
  );
  if (!known) {
    await run(INSERT, [protocol, digest, size, key, now, now]);
    const [inserted = {}] = await read(INSERTED, which);
    return { id: numberOf(inserted, "id"), surplus: false };
  }
  const id = numberOf(known, "id");
  const isDamaged = optionalTimeOf(known, "damaged_at") !== undefined;
  const isLive = textOf(known, "state") === "live" && !isDamaged;
  if (isLive) await run(TOUCH, [now, id]);
  else await run(REPLACE, [key, size, now, id]);
  return { id, surplus: isLive && textOf(known, "storage_key") !== key };
}
