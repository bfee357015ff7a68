import type { Protocol } from "@sealhouse/request-types";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";

/** Lookups of referenced bytes for sweeps and metrics. */
export interface BlobIndex {
  /**
   * Returns those of the storage keys that have a row, deleted or not. A sweep must not delete
   * these.
   */
  isNamed(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Bytes of all live blobs of a protocol. */
  usage(protocol: Protocol): Promise<number>;
  /** Keys of the newest referenced objects; excludes bytes that are stored in rows. */
  newestObjects(limit: number): Promise<readonly string[]>;
  /** Number of blobs whose object was found missing or changed. */
  damaged(protocol: Protocol): Promise<number>;
}

const KEYS_PER_QUERY = 500;
const USAGE: Statement = {
  name: "blob-usage",
  sql: `select cast(coalesce(sum(size), 0) as bigint) as bytes
    from blobs where protocol = ? and state = 'live'`,
};

const OBJECTS: Statement = {
  name: "blob-newest-objects",
  sql: `select b.storage_key from blobs b where b.state = 'live' and not exists
    (select 1 from blob_contents c where c.blob_id = b.id) order by b.id desc limit ?`,
};

const DAMAGED: Statement = {
  name: "blobs-damaged",
  sql: `select count(*) as blobs from blobs
    where protocol = ? and state = 'live' and damaged_at is not null`,
};

export function createBlobIndex(port: QueryPort): BlobIndex {
  return {
    async isNamed(keys) {
      const named = new Set<string>();
      for (let from = 0; from < keys.length; from += KEYS_PER_QUERY) {
        const some = keys.slice(from, from + KEYS_PER_QUERY);
        const marks = some.map(() => "?").join(", ");
        const sql = `select storage_key from blobs where storage_key in (${marks})`;
        for (const row of await port.all({ sql }, some)) named.add(textOf(row, "storage_key"));
      }
      return named;
    },
    async usage(protocol) {
      const row = await port.one(USAGE, [protocol]);
      return row ? numberOf(row, "bytes") : 0;
    },
    newestObjects: async (limit) =>
      (await port.all(OBJECTS, [limit])).map((row) => textOf(row, "storage_key")),
    async damaged(protocol) {
      const row = await port.one(DAMAGED, [protocol]);
      return row ? numberOf(row, "blobs") : 0;
    },
  };
}
