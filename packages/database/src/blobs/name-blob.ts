import type { Protocol } from "@sealhouse/request-types";
import type { Unit } from "../transactions/unit-of-work.ts";
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

const KEEP: Statement = {
  name: "blob-content-keep",
  sql: "insert into blob_contents (blob_id, bytes) values (?, ?)",
};
const DROP: Statement = {
  name: "blob-content-drop",
  sql: "delete from blob_contents where blob_id = ?",
};

export type BlobToName = {
  readonly protocol: Protocol;
  readonly digest: string;
  readonly key: string;
  readonly size: number;
  /** The content of a blob that is stored in a row. */
  readonly bytes?: Uint8Array | undefined;
};

/**
 * Finds or inserts the row of a blob, locked until the commit. `surplus`: another live object has
 * the same bytes. A row that the collector is deleting counts as absent (rule R7): it gets the new
 * object, and the collector deletes only the former one. The same applies to a blob that is missing
 * or damaged.
 */
export async function nameBlob(
  unit: Unit,
  { protocol, digest, key, size, bytes }: BlobToName,
  now: Date,
): Promise<{ readonly id: number; readonly surplus: boolean }> {
  const { read, run, forUpdate } = unit;
  const which = [protocol, digest];
  const [known] = await read(
    { name: `blob-for-change${forUpdate}`, sql: `${FIND}${forUpdate}` },
    which,
  );
  if (!known) {
    await run(INSERT, [protocol, digest, size, key, now, now]);
    const [inserted = {}] = await read(INSERTED, which);
    const id = numberOf(inserted, "id");
    if (bytes) await run(KEEP, [id, bytes]);
    return { id, surplus: false };
  }
  const id = numberOf(known, "id");
  const isDamaged = optionalTimeOf(known, "damaged_at") !== undefined;
  const isLive = textOf(known, "state") === "live" && !isDamaged;
  if (isLive) {
    await run(TOUCH, [now, id]);
  } else {
    await run(REPLACE, [key, size, now, id]);
    await dropContent(unit, id);
    if (bytes) await run(KEEP, [id, bytes]);
  }
  return { id, surplus: isLive && textOf(known, "storage_key") !== key };
}

/** Deletes the content of a row that gets another object. */
export async function dropContent({ run }: Pick<Unit, "run">, id: number): Promise<void> {
  await run(DROP, [id]);
}
