import type { DocumentStore, StoredDocument } from "@sealhouse/http-responses";

export type MemoryDocuments = DocumentStore & {
  /** Work of a recorder inside its transaction: raises the revision and deletes the documents. */
  stale(group: string): void;
  /** Keys kept now, for tests that look. */
  keys(): readonly string[];
};

/** The document store in two `Map`s. */
export function createMemoryDocuments(): MemoryDocuments {
  const revisions = new Map<string, number>();
  const entries = new Map<string, { readonly group: string; readonly document: StoredDocument }>();
  return {
    read: async (key) => entries.get(key)?.document,
    revision: async (group) => revisions.get(group) ?? 0,
    async keep({ key, group, revision, document }) {
      if ((revisions.get(group) ?? 0) === revision) entries.set(key, { group, document });
    },
    stale(group) {
      revisions.set(group, (revisions.get(group) ?? 0) + 1);
      for (const [key, entry] of entries) if (entry.group === group) entries.delete(key);
    },
    keys: () => [...entries.keys()],
  };
}
