import { defineEntity, p } from "@mikro-orm/core";
import { Blob } from "./blob.ts";
import { key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** A deleted or replaced version whose bytes stay for views as of a time. */
export const KeptContent = defineEntity({
  name: "KeptContent",
  tableName: "kept_contents",
  indexes: [
    { properties: ["blob"] },
    { properties: ["lostAt"] },
    { name: "kept_contents_item", properties: ["protocol", "name", "item"] },
  ],
  properties: {
    id: rowId(),
    protocol: key(NAME_LENGTH.protocol),
    /** As in the history. */
    name: key(255),
    item: key(256),
    /** The value of the fact in the history. */
    value: longText(),
    /** JSON text of the version's data except its blob, in the format of its protocol. */
    content: longText(),
    lostAt: time(),
    blob: () => p.manyToOne(Blob).mapToPk().deleteRule("restrict"),
  },
});
