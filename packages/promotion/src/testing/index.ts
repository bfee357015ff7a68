export type { MemoryReleases } from "./memory-releases.ts";
export { createMemoryReleases } from "./memory-releases.ts";
export type { ReleasePorts, ReleasePortsTest } from "./releases-contract.ts";
export { releasePortsContract } from "./releases-contract.ts";
