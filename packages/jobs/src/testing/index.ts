export { createMemoryLeases } from "./memory-leases.ts";
export { leasesContract } from "./leases-contract.ts";
