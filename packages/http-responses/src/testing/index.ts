export { changePlace, changeText, nestedLists } from "./changed-json.ts";
export type { TextChange } from "./changed-json.ts";
export { documentStoreContract } from "./document-store-contract.ts";
export type { DocumentStoreSubject, DocumentStoreTest } from "./document-store-contract.ts";
export { createMemoryDocumentStore } from "./memory-document-store.ts";
export type { MemoryDocumentStore } from "./memory-document-store.ts";
