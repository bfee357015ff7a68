// Imports advisories from sources. Loads the archive library only for archives.
export { importAdvisories, removeSource } from "./import/import-advisories.ts";
export type { ImportOptions, ImportReport } from "./import/import-advisories.ts";
export { importedSources } from "./import/known-sources.ts";
export type { ImportedSource } from "./import/known-sources.ts";
export type { Skipped } from "./sources/skipped.ts";
