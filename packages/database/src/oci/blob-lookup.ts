import type { BlobCatalog, StoredBlob } from "@sealhouse/oci-distribution";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
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
  recall: "rows",
};
const KNOWN: Statement = {
  name: "oci-blob-known",
  sql: `select 1 from blobs b join oci_repository_blobs l on l.blob_id = b.id
    where b.protocol = 'oci' and b.digest = ? and b.state = 'live' and b.damaged_at is null
    limit 1`,
};
const TOUCH: Statement = {
  name: "oci-blob-touch",
  sql: "update blobs set touched_at = ? where id = ? and state = 'live' and storage_key = ?",
};
const TOUCH_LINK: Statement = {
  name: "oci-link-touch",
  sql: "update oci_repository_blobs set linked_at = ? where repository_id = ? and blob_id = ?",
};

/**
 * A positive answer guarantees that the blob stays for a while (rule R1). An old time of use is
 * renewed before the answer. The blob comes first and then the link, because removing a link locks
 * the blob's row. If either changed since, the lookup repeats.
 */
export function createBlobFind(port: QueryPort, clock: Clock): BlobCatalog["find"] {
  return async (repository, digest): Promise<StoredBlob | undefined> => {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const row = await port.one(FIND, [digest, repository]);
      if (!row) return undefined;
      const found = { key: textOf(row, "storage_key"), size: numberOf(row, "size") };
      if (!isDue(timeOf(row, "touched_at"), clock)) return found;
      if (await renew(port, row, clock.now())) return found;
    }
    return undefined;
  };
}

export function createBlobKnown(port: QueryPort): BlobCatalog["isKnown"] {
  return async (digest) => (await port.one(KNOWN, [digest])) !== undefined;
}

/** A generation lasts far longer than a look. */
const LOOKS_MAX = 3;

async function renew(port: QueryPort, row: Row, at: Date): Promise<boolean> {
  const blob = numberOf(row, "id");
  if ((await port.run(TOUCH, [at, blob, textOf(row, "storage_key")])) === 0) return false;
  return (await port.run(TOUCH_LINK, [at, numberOf(row, "repository_id"), blob])) > 0;
}
