import { defineEntity } from "@mikro-orm/core";
import { big, key, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** `deleting` and `delete-failed` belong to the collector; everybody else calls them absent. */
export type BlobState = "live" | "deleting" | "delete-failed";

/** Bytes that have a name. The object in the store carries a generation in its key. */
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
