import type { BlobCatalog, StoredBlob } from "@sealhouse/oci-distribution";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../raw/row.ts";
import { isDue } from "./clock.ts";
import type { Clock } from "./clock.ts";

const FIND: Statement = {
  name: "oci-blob",
  sql: `select b.id, b.storage_key, b.size, b.touched_at
    from oci_repositories r
    join blobs b on b.protocol = 'oci' and b.digest = ?
    join oci_repository_blobs l on l.repository_id = r.id and l.blob_id = b.id
    where r.name = ? and b.state = 'live'`,
};
const TOUCH: Statement = {
  name: "oci-blob-touch",
  sql: "update blobs set touched_at = ? where id = ? and state = 'live'",
};

/** A positive answer is a promise to keep the bytes for a while (rule R1). When the promise that
 * the row already carries is old, it is renewed in the database before it is given. */
export function createBlobFind(port: QueryPort, clock: Clock): BlobCatalog["find"] {
  return async (repository, digest): Promise<StoredBlob | undefined> => {
    const row = await port.one(FIND, [digest, repository]);
    if (!row) return undefined;
    if (isDue(timeOf(row, "touched_at"), clock)) {
      const touched = await port.run(TOUCH, [clock.now(), numberOf(row, "id")]);
      if (touched === 0) return undefined;
    }
    return { key: textOf(row, "storage_key"), size: numberOf(row, "size") };
  };
}
