export type { ByteRange, ByteSource } from "./byte-source.ts";
export type { DocumentStore, StoredDocument } from "./stored-document.ts";
