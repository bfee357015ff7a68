import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/**
 * A version that waits for approval. It is not served, and its number is free. Approval deletes the
 * row.
 */
export const StagedVersion = defineEntity({
  name: "StagedVersion",
  tableName: "staged_versions",
  indexes: [{ properties: ["blob"] }, { properties: ["expiresAt"] }],
  uniques: [{ properties: ["protocol", "name", "version"] }],
  properties: {
    /** UUID. */
    id: key(36).primary(),
    protocol: key(NAME_LENGTH.protocol),
    name: key(255),
    version: key(256),
    /** JSON: what a list shows of it, in the words of its protocol. */
    summary: longText(),
    /** JSON text of the version's data except its blob, in the format of its protocol. */
    details: longText(),
    actor: key(NAME_LENGTH.actor),
    createdAt: time(),
    /** From then on it is as good as gone; a sweep removes it. */
    expiresAt: time(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
  },
});
