import type { Caller, Protocol } from "@sealhouse/request-types";
import type { BlobRecord, BlobRecords } from "@sealhouse/storage-providers";
import type { PortContext } from "../port-context.ts";
import type { QueryPort, Row } from "../raw/query-port.ts";
import { numberOf, optionalTimeOf, textOf } from "../raw/row.ts";
import { createBlobRecordChanges } from "./blob-record-changes.ts";

const LIVE = `select id, digest, size, storage_key, verified_at, damaged_at from blobs
  where protocol = ? and state = 'live'`;
const PAGE = {
  name: "blob-records",
  sql: `${LIVE} and id > ? order by id limit ?`,
};
const NEVER = {
  name: "blobs-never-verified",
  sql: `${LIVE} and verified_at is null and id > ? and id <= ? order by id limit ?`,
};
const STALE = {
  name: "blobs-verified-before",
  sql: `${LIVE} and verified_at < ? and id <= ?
    and (verified_at > ? or (verified_at = ? and id > ?)) order by verified_at, id limit ?`,
};
const VERIFIED = {
  name: "blob-verified",
  sql: `update blobs set verified_at = ?
    where id = ? and storage_key = ? and state = 'live' and damaged_at is null`,
};

/** The common case of a check: the object was sound, and is. False when there is more to store, or
 * nothing. */
async function noteVerified(port: QueryPort, { id, key }: BlobRecord, at: Date): Promise<boolean> {
  return (await port.run(VERIFIED, [at, id, key])) > 0;
}

/** Rows of blobs for a check of the storage; `caller` is named by its events. */
export function createBlobRecords(
  { port, changes }: Pick<PortContext, "port" | "changes">,
  { protocol, caller }: { readonly protocol: Protocol; readonly caller: Caller },
): BlobRecords {
  const written = createBlobRecordChanges(changes)(caller);
  return {
    ...written,
    async markVerified(blob) {
      if (await noteVerified(port, blob, changes.now())) return;
      await written.markVerified(blob);
    },
    async blobs({ limit, after = 0 }) {
      return (await port.all(PAGE, [protocol, after, limit])).map(recordOf);
    },
    async unverified({ before, upTo, limit, after }) {
      if (!after?.verifiedAt) {
        const never = await port.all(NEVER, [protocol, after?.id ?? 0, upTo, limit]);
        if (never.length > 0) return never.map(recordOf);
      }
      const since = after?.verifiedAt ?? new Date(0);
      const id = after?.verifiedAt ? after.id : 0;
      const rows = await port.all(STALE, [protocol, before, upTo, since, since, id, limit]);
      return rows.map(recordOf);
    },
  };
}

function recordOf(row: Row): BlobRecord {
  const verifiedAt = optionalTimeOf(row, "verified_at");
  const damagedAt = optionalTimeOf(row, "damaged_at");
  return {
    id: numberOf(row, "id"),
    digest: textOf(row, "digest"),
    size: numberOf(row, "size"),
    key: textOf(row, "storage_key"),
    ...(verifiedAt && { verifiedAt }),
    ...(damagedAt && { damagedAt }),
  };
}
