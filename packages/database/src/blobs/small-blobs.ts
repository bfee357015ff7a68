import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

/** Content of blobs in rows, by storage key. `nameBlob` stores it. */
export interface SmallBlobs {
  /** Undefined when no row has the key, or the row has another generation. */
  read(key: string): Promise<Uint8Array | undefined>;
  delete(key: string): Promise<void>;
}

const KEY = { key: param.text(NAME_LENGTH.storageKey) };

const READ = defineStatement("blob-content", KEY, (db, { key }) =>
  db
    .selectFrom("blobs as b")
    .innerJoin("blob_contents as c", "c.blob_id", "b.id")
    .where("b.storage_key", "=", key)
    .select("c.bytes"),
);
const DELETE = defineStatement("blob-content-delete", KEY, (db, { key }) =>
  db
    .deleteFrom("blob_contents")
    .where("blob_id", "=", (content) =>
      content.selectFrom("blobs").where("storage_key", "=", key).select("id"),
    ),
);

export function createSmallBlobs(queries: Queries): SmallBlobs {
  return {
    async read(key) {
      return (await queries.one(READ, { key }))?.bytes;
    },
    async delete(key) {
      await queries.run(DELETE, { key });
    },
  };
}
