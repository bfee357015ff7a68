import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { BlobRecord, BlobRecords } from "@sealhouse/oci-distribution";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, numberOf, optionalTimeOf, textOf } from "../raw/row.ts";

const LIVE = `select id, digest, size, storage_key, verified_at, damaged_at from blobs
  where protocol = 'oci' and state = 'live'`;
const PAGE: Statement = {
  name: "oci-blob-records",
  sql: `${LIVE} and id > ? order by id limit ?`,
};
const NEVER: Statement = {
  name: "oci-blobs-never-verified",
  sql: `${LIVE} and verified_at is null and id > ? and id <= ? order by id limit ?`,
};
const STALE: Statement = {
  name: "oci-blobs-verified-before",
  sql: `${LIVE} and verified_at < ? and id <= ?
    and (verified_at > ? or (verified_at = ? and id > ?)) order by verified_at, id limit ?`,
};
const MANIFESTS: Statement = {
  name: "oci-manifest-records",
  sql: `select m.id, r.name, m.digest, m.bytes from oci_manifests m
    join oci_repositories r on r.id = m.repository_id where m.id > ? order by m.id limit ?`,
};

const VERIFIED: Statement = {
  name: "oci-blob-verified",
  sql: `update blobs set verified_at = ?
    where id = ? and storage_key = ? and state = 'live' and damaged_at is null`,
};

/** What nearly every blob of a scrub comes to: it was whole, and is. False when there is more to
 * say about it, or nothing at all. */
export async function noteVerified(
  port: QueryPort,
  { id, key }: BlobRecord,
  at: Date,
): Promise<boolean> {
  return (await port.run(VERIFIED, [at, id, key])) > 0;
}

export type BlobRecordLookup = Pick<BlobRecords, "blobs" | "unverified" | "manifests">;

export function createBlobRecords(port: QueryPort): BlobRecordLookup {
  return {
    async blobs({ limit, after = 0 }) {
      return (await port.all(PAGE, [after, limit])).map(recordOf);
    },
    async unverified({ before, upTo, limit, after }) {
      if (!after?.verifiedAt) {
        const never = await port.all(NEVER, [after?.id ?? 0, upTo, limit]);
        if (never.length > 0) return never.map(recordOf);
      }
      const since = after?.verifiedAt ?? new Date(0);
      const id = after?.verifiedAt ? after.id : 0;
      const rows = await port.all(STALE, [before, upTo, since, since, id, limit]);
      return rows.map(recordOf);
    },
    async manifests({ limit, after = 0 }) {
      return (await port.all(MANIFESTS, [after, limit])).map((row) => ({
        id: numberOf(row, "id"),
        repository: parseRepositoryName(textOf(row, "name")),
        digest: parseDigest(textOf(row, "digest")),
        bytes: bytesOf(row, "bytes"),
      }));
    },
  };
}

function recordOf(row: Row): BlobRecord {
  const verifiedAt = optionalTimeOf(row, "verified_at");
  const damagedAt = optionalTimeOf(row, "damaged_at");
  return {
    id: numberOf(row, "id"),
    digest: parseDigest(textOf(row, "digest")),
    size: numberOf(row, "size"),
    key: textOf(row, "storage_key"),
    ...(verifiedAt && { verifiedAt }),
    ...(damagedAt && { damagedAt }),
  };
}
