import type { DocumentStore, StoredDocument } from "@sealhouse/http-responses";

/** Kept documents of a process, with the call that a change of a group makes in its transaction. */
export type MemoryDocuments = DocumentStore & { readonly changed: (group: string) => void };

export function createMemoryDocuments(): MemoryDocuments {
  const kept = new Map<string, { readonly group: string; readonly document: StoredDocument }>();
  const revisions = new Map<string, number>();
  const revisionOf = (group: string) => revisions.get(group) ?? 0;

  return {
    read: async (key) => kept.get(key)?.document,
    revision: async (group) => revisionOf(group),
    async keep({ key, group, revision, document }) {
      if (revision === revisionOf(group)) kept.set(key, { group, document });
    },
    changed(group) {
      revisions.set(group, revisionOf(group) + 1);
      for (const [key, entry] of kept) if (entry.group === group) kept.delete(key);
    },
  };
}
