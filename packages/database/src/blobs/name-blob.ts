import { sql } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const DIGEST = {
  protocol: param.text(NAME_LENGTH.protocol),
  digest: param.text(NAME_LENGTH.digest),
};
const OBJECT = { key: param.text(NAME_LENGTH.storageKey), size: param.whole, now: param.time };
const ID = { id: param.whole };

const FIND = defineStatement("blob-for-change", DIGEST, (db, { protocol, digest }, own) =>
  own.forUpdate(
    db
      .selectFrom("blobs")
      .where("protocol", "=", protocol)
      .where("digest", "=", digest)
      .select(["id", "state", "storage_key", "damaged_at"]),
  ),
);
const INSERT = defineStatement("blob-insert", { ...DIGEST, ...OBJECT }, (db, parameters) =>
  db.insertInto("blobs").values({
    protocol: parameters.protocol,
    digest: parameters.digest,
    size: parameters.size,
    storage_key: parameters.key,
    state: sql.lit("live"),
    touched_at: parameters.now,
    created_at: parameters.now,
  }),
);
const TOUCH = defineStatement("blob-touch", { ...ID, now: param.time }, (db, { id, now }) =>
  db.updateTable("blobs").set({ touched_at: now }).where("id", "=", id),
);
const REPLACE = defineStatement("blob-replace", { ...ID, ...OBJECT }, (db, parameters) =>
  db
    .updateTable("blobs")
    .set({
      storage_key: parameters.key,
      size: parameters.size,
      state: sql.lit("live"),
      touched_at: parameters.now,
      verified_at: sql.lit(null),
      damaged_at: sql.lit(null),
    })
    .where("id", "=", parameters.id),
);
const KEEP = defineStatement(
  "blob-content-keep",
  { ...ID, bytes: param.bytes },
  (db, { id, bytes }) => db.insertInto("blob_contents").values({ blob_id: id, bytes }),
);
const DROP = defineStatement("blob-content-drop", ID, (db, { id }) =>
  db.deleteFrom("blob_contents").where("blob_id", "=", id),
);

export type BlobToName = {
  readonly protocol: Protocol;
  readonly digest: string;
  readonly key: string;
  readonly size: number;
  /** The content of a blob that is stored in a row. */
  readonly bytes?: Uint8Array | undefined;
};

/**
 * Finds or inserts the row of a blob, locked until the commit. `isDuplicate`: another live object
 * has the same bytes. `isRestored`: the bytes replaced a missing or damaged object; call
 * `staleDocuments`. A row that the collector is deleting counts as absent (rule R7): it gets the
 * new object, and the collector deletes only the former one. The same applies to a blob that is
 * missing or damaged, unless the row has this object: an approved version brings no other bytes.
 */
export async function nameBlob(
  unit: Pick<Unit, "queries">,
  { protocol, digest, key, size, bytes }: BlobToName,
  now: Date,
): Promise<{ readonly id: number; readonly isDuplicate: boolean; readonly isRestored: boolean }> {
  const { queries } = unit;
  const row = await queries.one(FIND, { protocol, digest });
  if (!row) {
    const id = await queries.insert(INSERT, { protocol, digest, size, key, now });
    if (bytes) await queries.run(KEEP, { id, bytes });
    return { id, isDuplicate: false, isRestored: false };
  }
  const { id } = row;
  const isSame = row.storage_key === key;
  const isDamaged = row.damaged_at !== null && !isSame;
  const isLive = row.state === "live" && !isDamaged;
  if (isLive) {
    await touchBlob(unit, id, now);
  } else {
    await queries.run(REPLACE, { id, key, size, now });
    await dropContent(unit, id);
    if (bytes) await queries.run(KEEP, { id, bytes });
  }
  return { id, isDuplicate: isLive && !isSame, isRestored: isDamaged };
}

/** Renews the time of use of a blob. */
export async function touchBlob(
  { queries }: Pick<Unit, "queries">,
  id: number,
  now: Date,
): Promise<void> {
  await queries.run(TOUCH, { id, now });
}

/** Deletes the content of a row that gets another object. */
export async function dropContent({ queries }: Pick<Unit, "queries">, id: number): Promise<void> {
  await queries.run(DROP, { id });
}
