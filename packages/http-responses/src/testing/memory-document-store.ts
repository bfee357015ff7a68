import type { DocumentStore, StoredDocument } from "../stored-document.ts";

export type MemoryDocumentStore = DocumentStore & {
  /** Invalidates a group, as a recorder does in the transaction of a change. */
  readonly change: (group: string) => void;
};

/** Creates an in-memory store for tests. */
export function createMemoryDocumentStore(): MemoryDocumentStore {
  const documents = new Map<
    string,
    { readonly group: string; readonly document: StoredDocument }
  >();
  const revisions = new Map<string, number>();
  const revisionOf = (group: string) => revisions.get(group) ?? 0;

  return {
    async read(key) {
      return documents.get(key)?.document;
    },
    async revision(group) {
      return revisionOf(group);
    },
    async keep({ key, group, revision, document }) {
      if (revision === revisionOf(group)) documents.set(key, { group, document });
    },
    change(group) {
      revisions.set(group, revisionOf(group) + 1);
      for (const [key, entry] of documents) if (entry.group === group) documents.delete(key);
    },
  };
}
