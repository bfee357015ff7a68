export { createMemoryLeases } from "./memory-leases.ts";
export type { MemoryLeases } from "./memory-leases.ts";
export { leasesContract } from "./leases-contract.ts";
export type { LeasesContractTest, LeasesUnderTest } from "./leases-contract.ts";
