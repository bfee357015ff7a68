import type { BlobCatalog, StoredBlob } from "@sealhouse/oci-distribution";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../raw/row.ts";
import { isDue } from "./clock.ts";
import type { Clock } from "./clock.ts";

const FIND: Statement = {
  name: "oci-blob",
  sql: `select b.id, l.repository_id, b.storage_key, b.size, b.touched_at
    from oci_repositories r
    join blobs b on b.protocol = 'oci' and b.digest = ?
    join oci_repository_blobs l on l.repository_id = r.id and l.blob_id = b.id
    where r.name = ? and b.state = 'live' and b.damaged_at is null`,
};
const TOUCH: Statement = {
  name: "oci-blob-touch",
  sql: "update blobs set touched_at = ? where id = ? and state = 'live'",
};
const TOUCH_LINK: Statement = {
  name: "oci-link-touch",
  sql: "update oci_repository_blobs set linked_at = ? where repository_id = ? and blob_id = ?",
};

/** A positive answer is a promise to keep the bytes for a while (rule R1). When the promise that
 * the row already carries is old, it is renewed in the database before it is given: for the blob,
 * and then for the link, because whoever takes a link away holds the blob's row meanwhile. */
export function createBlobFind(port: QueryPort, clock: Clock): BlobCatalog["find"] {
  return async (repository, digest): Promise<StoredBlob | undefined> => {
    const row = await port.one(FIND, [digest, repository]);
    if (!row) return undefined;
    if (isDue(timeOf(row, "touched_at"), clock)) {
      const blob = numberOf(row, "id");
      const at = clock.now();
      if ((await port.run(TOUCH, [at, blob])) === 0) return undefined;
      const link = [at, numberOf(row, "repository_id"), blob];
      if ((await port.run(TOUCH_LINK, link)) === 0) return undefined;
    }
    return { key: textOf(row, "storage_key"), size: numberOf(row, "size") };
  };
}
