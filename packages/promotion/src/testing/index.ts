export type { MemoryReleases } from "./memory-releases.ts";
export { createMemoryReleases } from "./memory-releases.ts";
