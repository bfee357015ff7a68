import type { DocumentStore } from "@sealhouse/http-responses";
import type { OwnCalls } from "../calls/own-calls.ts";

/**
 * Stores the renderings that everyone may get. A request that came through this registry before, or
 * through one of its sources, reads none; a rendering is stored only if no source was left out.
 */
export function sharedDocuments(
  documents: DocumentStore,
  ownCalls: Pick<OwnCalls, "audience" | "isForEveryone" | "readsShared">,
): DocumentStore {
  return {
    read: async (key) => (ownCalls.readsShared() ? documents.read(key) : undefined),
    revision: (group) => documents.revision(group),
    async keep(entry) {
      if (ownCalls.isForEveryone()) await documents.keep(entry);
    },
    sharesRenderings: () => ownCalls.audience() === "",
  };
}
