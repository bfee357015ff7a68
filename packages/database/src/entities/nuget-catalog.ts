import { defineEntity } from "@mikro-orm/core";
import { big, key, longText, time } from "./columns.ts";

/** One item of the append-only catalog. */
export const NuGetCatalogItem = defineEntity({
  name: "NuGetCatalogItem",
  tableName: "nuget_catalog_items",
  properties: {
    /** 0, 1, 2 … without gaps: the page follows from it. */
    position: big().primary().autoincrement(false),
    /**
     * Id of the source event, which makes repeated deliveries harmless. Negative for one of many
     * items of a change.
     */
    eventId: big().unique(),
    /** `PackageDetails` or `PackageDelete`. */
    type: key(32),
    displayId: key(128).index(),
    version: key(256),
    commitId: key(36),
    /** Rises strictly with the position: mirrors keep it as their cursor. */
    commitAt: time().unique(),
    /** Content of the leaf without its URLs, as JSON text. */
    leaf: longText(),
  },
});
