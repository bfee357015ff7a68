import { defineEntity, p } from "@mikro-orm/core";
import { big, bytes, key, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** `deleting` and `delete-failed` belong to the collector; everybody else calls them absent. */
export type BlobState = "live" | "deleting" | "delete-failed";

/** Bytes that have a name. The storage key carries a generation, also where the bytes are not an
 * object but `BlobContent`. */
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
    /** When the scrub found the object missing or changed; null again once it is whole. */
    damagedAt: time().nullable(),
  },
});

/** The bytes of a small blob, which is no object: apart from its row, so that walks over all blobs
 * do not read them. */
export const BlobContent = defineEntity({
  name: "BlobContent",
  tableName: "blob_contents",
  properties: {
    blob: () => p.manyToOne(Blob).mapToPk().primary().index(false).deleteRule("cascade"),
    bytes: bytes(),
  },
});
