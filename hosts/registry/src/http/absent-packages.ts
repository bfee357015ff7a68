import type { ServerResponse } from "node:http";
import type { DocumentAddress, NpmLookup } from "@sealhouse/npm-protocol";
import { missingDocument, writeRefusal } from "@sealhouse/npm-protocol";

/** Answers that there is no such package, or with false where there is one. */
export type WriteAbsent = (outgoing: ServerResponse, asked: DocumentAddress) => Promise<boolean>;

/** The shortcut for names that nobody published: clients that have all names here ask for many. */
export function createAbsentPackages(options: {
  readonly lookup: Pick<NpmLookup, "has">;
  readonly anonymousRead: boolean;
}): WriteAbsent {
  const { lookup, anonymousRead } = options;
  return async (outgoing, asked) => {
    if (await lookup.has(asked.name)) return false;
    writeRefusal(outgoing, missingDocument(asked, anonymousRead));
    return true;
  };
}
