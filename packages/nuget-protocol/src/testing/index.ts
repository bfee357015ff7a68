export type { CatalogPorts, ContractTest } from "./contract.ts";
export { nugetPortsContract } from "./contract.ts";
export type { MemoryCatalog } from "./memory-catalog.ts";
export { createMemoryCatalog } from "./memory-catalog.ts";
export type { MemoryDocuments } from "./memory-documents.ts";
export { createMemoryDocuments } from "./memory-documents.ts";
export { newPackage, testCaller } from "./new-package.ts";
