import { defineEntity, p } from "@mikro-orm/core";
import { key, longText } from "./columns.ts";
import { NpmPackage } from "./npm.ts";

/**
 * The words by which searches find a package, of the version that `latest` points to. Words are
 * between single spaces, with a space before the first and after the last. Packages without
 * `latest` have no row. Indexes of the databases' own follow this table.
 */
export const NpmSearchEntry = defineEntity({
  name: "NpmSearchEntry",
  tableName: "npm_search_entries",
  properties: {
    package: () => p.manyToOne(NpmPackage).mapToPk().primary().deleteRule("cascade"),
    /** Name of the package, for the order of hits. */
    name: key(214).index(),
    /** States, scope, keywords and maintainers, which a search compares as a whole. */
    filters: longText(),
    /** Endings of the words of the name. */
    nameWords: longText(),
    /** Words of the description and the keywords. */
    textWords: longText(),
  },
});
