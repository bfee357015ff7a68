import type { DocumentStore } from "@sealhouse/http-responses";
import type { PortContext } from "../port-context.ts";
import { versionBefore } from "../raw/version.ts";
import { createDocumentCache } from "./document-cache.ts";
import type { CachedDocument } from "./document-cache.ts";
import { revisionOf } from "./document-store.ts";

type ViewDocument = CachedDocument & { readonly group: string; readonly revision: number };

/**
 * Stores the documents of views as of a time, in memory only: there are as many views as times. A
 * document is valid while its group has the same revision, or while nothing was committed, where
 * the database reports that cheaply.
 */
export function createViewDocuments(
  { port, queries }: Pick<PortContext, "port" | "queries">,
  bytesMax: number,
): DocumentStore {
  const cache = createDocumentCache<ViewDocument>(bytesMax, bytesMax);
  const { versions } = port;
  return {
    async read(key) {
      const entry = cache.get(key);
      if (!entry) return undefined;
      const version = await versions?.current();
      if (version !== undefined && entry.version === version) return entry.document;
      if ((await revisionOf(queries, entry.group)) === entry.revision) {
        cache.set(key, { ...entry, version });
        return entry.document;
      }
      cache.delete(key);
      return undefined;
    },
    revision: (group) => revisionOf(queries, group),
    async keep({ key, group, revision, document }) {
      const version = versions && (await versionBefore(versions));
      // The version is older than this look at the revision, and so is every change that it shows.
      if ((await revisionOf(queries, group)) !== revision) return;
      cache.set(key, { document, version, group, revision });
    },
  };
}
