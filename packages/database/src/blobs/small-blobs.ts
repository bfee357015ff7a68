import type { QueryPort, Statement } from "../raw/query-port.ts";
import { bytesOf } from "../raw/row.ts";

/** Content of blobs in rows, by storage key. `nameBlob` stores it. */
export interface SmallBlobs {
  /** Undefined when no row has the key, or the row has another generation. */
  read(key: string): Promise<Uint8Array | undefined>;
  delete(key: string): Promise<void>;
}

const READ: Statement = {
  name: "blob-content",
  sql: `select c.bytes from blobs b join blob_contents c on c.blob_id = b.id
    where b.storage_key = ?`,
};
const DELETE: Statement = {
  name: "blob-content-delete",
  sql: `delete from blob_contents
    where blob_id in (select id from blobs where storage_key = ?)`,
};

export function createSmallBlobs(port: QueryPort): SmallBlobs {
  return {
    async read(key) {
      const row = await port.one(READ, [key]);
      return row && bytesOf(row, "bytes");
    },
    async delete(key) {
      await port.run(DELETE, [key]);
    },
  };
}
