import { defineEntity, p } from "@mikro-orm/core";
import { key, longText, rowId, time } from "./columns.ts";

/** Sources of advisories, with the state of their last import. */
export const NuGetAdvisorySource = defineEntity({
  name: "NuGetAdvisorySource",
  tableName: "nuget_advisory_sources",
  properties: {
    name: key(64).primary(),
    /** When the advisories of the base page were last replaced all together. */
    baseAt: time(),
    /** When anything changed last. */
    updatedAt: time(),
    /** When the source was last read without an error. */
    checkedAt: time(),
    /** Opaque state of the source, such as an ETag or an index; its reader interprets it. */
    state: longText().nullable(),
  },
});

export const NuGetAdvisory = defineEntity({
  name: "NuGetAdvisory",
  tableName: "nuget_advisories",
  indexes: [{ properties: ["source", "page"] }],
  properties: {
    id: rowId(),
    source: key(64),
    /** `base` or `update`: on which page of the vulnerability index it stands. */
    page: key(16),
    /** `GHSA-…`, when the source gives one. */
    advisoryId: key(128).nullable(),
    lowerId: key(128).index(),
    /** 0 low, 1 moderate, 2 high, 3 critical. */
    severity: p.integer(),
    url: longText(),
    /** A range in NuGet's notation. */
    versions: longText(),
  },
});
