export { createMemoryNpmPorts } from "./memory-ports.ts";
export type { MemoryNpmPorts } from "./memory-ports.ts";
export { npmPortsContract } from "./ports-contract.ts";
export type { NpmCatalog } from "./contract-fixtures.ts";
export type { NpmPortsTest } from "./ports-contract.ts";
