import { defineEntity, p } from "@mikro-orm/core";
import { key, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** A right of a user or team on a name. */
export const Ownership = defineEntity({
  name: "Ownership",
  tableName: "ownerships",
  properties: {
    protocol: key(NAME_LENGTH.protocol).primary(),
    /** NuGet ids in lower case; other names unchanged. */
    nameKey: key(255).primary(),
    ownerId: key(36).primary().index(),
    /** `user` or `team`. */
    ownerKind: key(16),
    /** `read`, `publish` or `manage`. */
    level: key(16),
    createdAt: time(),
    createdBy: key(NAME_LENGTH.actor),
  },
});

/** Settings of a name. A name without a row has the defaults. */
export const NameSetting = defineEntity({
  name: "NameSetting",
  tableName: "name_settings",
  properties: {
    protocol: key(NAME_LENGTH.protocol).primary(),
    nameKey: key(255).primary(),
    /** `private`, `internal` or `public`; null for the default. */
    visibility: key(16).nullable(),
    /** Only pipelines publish. */
    trustedOnly: p.boolean(),
    changedAt: time(),
  },
});

/** Names that are kept for an owner. */
export const ReservedName = defineEntity({
  name: "ReservedName",
  tableName: "reserved_names",
  uniques: [{ properties: ["protocol", "pattern", "ownerId"] }],
  properties: {
    id: rowId(),
    protocol: key(NAME_LENGTH.protocol),
    /** The name, or the beginning of names; NuGet's in lower case. */
    pattern: key(255),
    isPrefix: p.boolean(),
    ownerId: key(36).index(),
    ownerKind: key(16),
    /** Others may publish below it, too. */
    shared: p.boolean(),
    delegatedFrom: key(36).nullable(),
    createdAt: time(),
    createdBy: key(NAME_LENGTH.actor),
  },
});

/** A right that an owner offers to another one. */
export const OwnerTransfer = defineEntity({
  name: "OwnerTransfer",
  tableName: "owner_transfers",
  indexes: [{ properties: ["protocol", "nameKey"] }],
  properties: {
    id: key(36).primary(),
    protocol: key(NAME_LENGTH.protocol),
    nameKey: key(255),
    /** The owner that leaves; null when the name gets a further owner. */
    fromId: key(36).nullable(),
    toId: key(36).index(),
    level: key(16),
    createdAt: time(),
    createdBy: key(NAME_LENGTH.actor),
    expiresAt: time().index(),
    decidedAt: time().nullable(),
    /** `accepted`, `declined` or `withdrawn`. */
    decision: key(16).nullable(),
    decidedBy: key(NAME_LENGTH.actor).nullable(),
    /** The user or service account that offered it; null for the operators. */
    makerId: key(36).nullable(),
  },
});
