export type { ByteRanges, ZipArchive } from "./read-zip-archive.ts";
export { ENTRIES_MAX, hasZip64Field, readRange, readZipArchive } from "./read-zip-archive.ts";
export type { ZipEntry } from "./zip-entry.ts";
export { LOCAL_HEADER_SIZE } from "./zip-entry.ts";
export type { ZipProblem } from "./zip-error.ts";
export { ZipError } from "./zip-error.ts";
