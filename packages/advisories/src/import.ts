// What imports advisories from sources. The library for archives is loaded when an archive is read.
export { importAdvisories, removeSource } from "./import/import-advisories.ts";
export type { ImportOptions, ImportReport } from "./import/import-advisories.ts";
export { importedSources } from "./import/known-sources.ts";
export type { ImportedSource } from "./import/known-sources.ts";
export type { Skipped } from "./sources/skipped.ts";
