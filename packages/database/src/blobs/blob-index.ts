import { sql } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { batches } from "../raw/batches.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

/** Lookups of referenced bytes for sweeps and metrics. */
export interface BlobIndex {
  /**
   * Returns those of the storage keys that have a row, deleted or not. A sweep must not delete
   * these.
   */
  isNamed(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns the digests of those keys that have a row, deleted or not: `sha256:<hex>`, or
   * `sha512:<hex>` of some images.
   */
  digestsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Bytes of all live blobs of a protocol. */
  usage(protocol: Protocol): Promise<number>;
  /** Keys of the newest referenced objects; excludes bytes that are stored in rows. */
  newestObjects(limit: number): Promise<readonly string[]>;
  /** Number of blobs whose object was found missing or changed. */
  damaged(protocol: Protocol): Promise<number>;
}

/** Keys in one statement. */
const KEYS_AT_ONCE = 500;

const PROTOCOL = { protocol: param.text(NAME_LENGTH.protocol) };

const NAMED = defineStatement("blobs-named", { keys: param.texts }, (db, { keys }, own) =>
  db.selectFrom("blobs").where("storage_key", "in", own.textsIn(keys)).select("storage_key"),
);
const DIGESTS = defineStatement("blob-digests", { keys: param.texts }, (db, { keys }, own) =>
  db
    .selectFrom("blobs")
    .where("storage_key", "in", own.textsIn(keys))
    .select(["storage_key", "digest"]),
);
const USAGE = defineStatement("blob-usage", PROTOCOL, (db, { protocol }, own) =>
  db
    .selectFrom("blobs")
    .where("protocol", "=", protocol)
    .where("state", "=", sql.lit("live"))
    .select(own.sum(sql.ref("size")).as("bytes")),
);
const NEWEST_OBJECTS = defineStatement(
  "blob-newest-objects",
  { limit: param.whole },
  (db, { limit }, own) =>
    own.limit(
      db
        .selectFrom("blobs as b")
        .where("b.state", "=", sql.lit("live"))
        .where((blob) =>
          blob.not(
            blob.exists(
              blob
                .selectFrom("blob_contents as c")
                .whereRef("c.blob_id", "=", "b.id")
                .select("c.blob_id"),
            ),
          ),
        )
        .select("b.storage_key")
        .orderBy("b.id", "desc"),
      limit,
    ),
);
const DAMAGED = defineStatement("blobs-damaged", PROTOCOL, (db, { protocol }) =>
  db
    .selectFrom("blobs")
    .where("protocol", "=", protocol)
    .where("state", "=", sql.lit("live"))
    .where("damaged_at", "is not", null)
    .select(({ fn }) => fn.countAll<number>().as("blobs")),
);

export function createBlobIndex(queries: Queries): BlobIndex {
  return {
    async isNamed(keys) {
      const namedKeys = new Set<string>();
      for (const some of batches(keys, KEYS_AT_ONCE)) {
        const rows = await queries.all(NAMED, { keys: some });
        for (const { storage_key: key } of rows) namedKeys.add(key);
      }
      return namedKeys;
    },
    async digestsOf(keys) {
      const digests = new Map<string, string>();
      for (const some of batches(keys, KEYS_AT_ONCE)) {
        const rows = await queries.all(DIGESTS, { keys: some });
        for (const { storage_key: key, digest } of rows) digests.set(key, digest);
      }
      return digests;
    },
    async usage(protocol) {
      return (await queries.one(USAGE, { protocol }))?.bytes ?? 0;
    },
    async newestObjects(limit) {
      const rows = await queries.all(NEWEST_OBJECTS, { limit });
      return rows.map((row) => row.storage_key);
    },
    async damaged(protocol) {
      return (await queries.one(DAMAGED, { protocol }))?.blobs ?? 0;
    },
  };
}
