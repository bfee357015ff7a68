import { defineEntity } from "@mikro-orm/core";
import { key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** A rule that denies versions, or an exception to such rules and to the age of versions. */
export const StoredPolicyRule = defineEntity({
  name: "StoredPolicyRule",
  tableName: "policy_rules",
  properties: {
    /** UUID. */
    id: key(36).primary(),
    /** `deny` or `allow`. */
    effect: key(16),
    protocol: key(NAME_LENGTH.protocol),
    pattern: key(256),
    /** A version or a range; empty: all. */
    versions: longText(),
    /** JSON. */
    conditions: longText(),
    reason: longText(),
    createdBy: longText(),
    createdAt: time(),
    expiresAt: time().nullable(),
  },
});

/** When a version without a known publish date was first seen. */
export const FirstSeenVersion = defineEntity({
  name: "FirstSeenVersion",
  tableName: "first_seen_versions",
  properties: {
    /** SHA-256 of source, name and version, hex. */
    versionKey: key(64).primary(),
    seenAt: time(),
  },
});
