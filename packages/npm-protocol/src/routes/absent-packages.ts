import type { ServerResponse } from "node:http";
import type { NpmLookup } from "../ports.ts";
import type { DocumentAddress } from "../documents/document-address.ts";
import { writeRefusal } from "./call.ts";
import { missingDocument } from "./documents.ts";

/** Answers that a package does not exist; false = it exists and nothing was written. */
export type WriteAbsent = (
  outgoing: ServerResponse,
  documentAddress: DocumentAddress,
) => Promise<boolean>;

/** Creates the fast path for unknown names; clients with no other registry ask for many. */
export function createAbsentPackages(options: {
  readonly lookup: Pick<NpmLookup, "has">;
  readonly anonymousRead: boolean;
}): WriteAbsent {
  const { lookup, anonymousRead } = options;
  return async (outgoing, address) => {
    if (await lookup.has(address.name)) return false;
    writeRefusal(outgoing, missingDocument(address, anonymousRead));
    return true;
  };
}
