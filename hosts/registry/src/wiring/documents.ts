import type { DocumentStore } from "@sealhouse/http-responses";
import type { Log } from "../log.ts";

/** A document that cannot be kept, because the disk is full say, is an answer all the same: reads
 * go on, and the log tells why each of them renders anew. */
export function keptIfPossible(documents: DocumentStore, log: Pick<Log, "warn">): DocumentStore {
  return {
    read: (key) => documents.read(key),
    revision: (group) => documents.revision(group),
    async keep(entry) {
      try {
        await documents.keep(entry);
      } catch (error) {
        log.warn({ err: error, key: entry.key }, "a document could not be kept");
      }
    },
  };
}
