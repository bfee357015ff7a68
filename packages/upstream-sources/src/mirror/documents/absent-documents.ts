import type { KeptDocument } from "../ports.ts";

/**
 * Documents that sources do not have, by key. They are remembered in memory only, because clients
 * may ask for any number of names; each instance asks for itself.
 */
export type AbsentDocuments = {
  find(id: string): KeptDocument | undefined;
  note(id: string, document: KeptDocument): void;
  /** The source has the document now. */
  forget(id: string): void;
};

const DOCUMENTS_MAX = 10_000;

export function createAbsentDocuments(): AbsentDocuments {
  const absent = new Map<string, KeptDocument>();
  return {
    find: (id) => absent.get(id),
    note(id, document) {
      absent.delete(id);
      absent.set(id, document);
      const [oldest] = absent.keys();
      if (absent.size > DOCUMENTS_MAX && oldest !== undefined) absent.delete(oldest);
    },
    forget: (id) => void absent.delete(id),
  };
}
