export type { ArchiveOddities, TestEntry } from "./test-archive.ts";
export { buildTestArchive } from "./test-archive.ts";
