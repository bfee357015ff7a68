export { documentStoreContract } from "./document-store-contract.ts";
export type { DocumentStoreSubject, DocumentStoreTest } from "./document-store-contract.ts";
export { createMemoryDocumentStore } from "./memory-document-store.ts";
export type { MemoryDocumentStore } from "./memory-document-store.ts";
