import type { DocumentStore } from "./stored-document.ts";

/** Wraps a store so that a document that cannot be stored is still an answer. Failures are logged;
 * each read then renders the document again. */
export function bestEffortDocuments(
  documents: DocumentStore,
  log: { readonly warn: (fields: object, message: string) => void },
): DocumentStore {
  return {
    read: (key) => documents.read(key),
    revision: (group) => documents.revision(group),
    async keep(entry) {
      try {
        await documents.keep(entry);
      } catch (error) {
        log.warn({ err: error, key: entry.key }, "could not store a rendered document");
      }
    },
  };
}
