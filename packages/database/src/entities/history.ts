import { defineEntity } from "@mikro-orm/core";
import { key, longText, rowId, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/**
 * Validity interval of one fact about a name: a version, a tag, its owners. Changed only to end an
 * open interval.
 */
export const HistoryInterval = defineEntity({
  name: "HistoryInterval",
  tableName: "history",
  // An open interval exists once, because all open ones end at the same time (OPEN_END).
  uniques: [
    {
      name: "history_item",
      properties: ["protocol", "name", "kind", "item", "validTo"],
    },
  ],
  properties: {
    id: rowId(),
    protocol: key(NAME_LENGTH.protocol),
    /** Lower-case package id, npm package name or repository. */
    name: key(255),
    kind: key(16),
    /** Version or tag; empty for facts of the whole name. */
    item: key(256),
    value: longText(),
    validFrom: time(),
    validTo: time(),
  },
});
