import { defineEntity, p } from "@mikro-orm/core";
import { big, bytes, key, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/**
 * State of a blob. Only the collector sees `deleting` and `delete-failed`; all others treat such a
 * blob as absent.
 */
export type BlobState = "live" | "deleting" | "delete-failed";

/**
 * Referenced bytes. The storage key contains a generation, even when the bytes are in `BlobContent`
 * instead of an object.
 */
export const Blob = defineEntity({
  name: "Blob",
  tableName: "blobs",
  uniques: [{ properties: ["protocol", "digest"] }],
  indexes: [
    { properties: ["protocol", "state", "touchedAt"] },
    { properties: ["protocol", "verifiedAt"] },
  ],
  properties: {
    id: rowId(),
    protocol: key(NAME_LENGTH.protocol),
    /** `sha256:<hex>`, or `sha512:<hex>` for OCI. */
    digest: key(NAME_LENGTH.digest),
    size: big(),
    storageKey: key(NAME_LENGTH.storageKey).unique(),
    state: key(16),
    /** Rule R1: when a positive answer last promised these bytes, give or take the threshold. */
    touchedAt: time(),
    createdAt: time(),
    /** When the scrub last read the object and found it to be what the digest says. */
    verifiedAt: time().nullable(),
    /** Time when the scrub found the object missing or changed; null while it is intact. */
    damagedAt: time().nullable(),
  },
});

/** Content of a small blob. A separate table, so that scans over all blobs do not read it. */
export const BlobContent = defineEntity({
  name: "BlobContent",
  tableName: "blob_contents",
  properties: {
    blob: () => p.manyToOne(Blob).mapToPk().primary().index(false).deleteRule("cascade"),
    bytes: bytes(),
  },
});
