import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import type { StoredDocument } from "./stored-document.ts";

/** Maximum length of the queue. A document that does not fit is queued by a later request. */
const WAITING_MAX = 16;
const QUALITY = 5;

const compress = promisify(brotliCompress);

type State = "requested" | "in progress" | "useless" | Uint8Array;

/** Entries live as long as their documents, so the store's cache limits their number. */
const states = new WeakMap<StoredDocument, State>();
const waiting: StoredDocument[] = [];
let isWorking = false;

/**
 * Returns the Brotli form of a document that has a gzip form; undefined until it is ready. The form
 * is not stored with the document. The second request for a cached document starts the compression,
 * off the event loop and one document at a time.
 */
export function brotliOf(document: StoredDocument): Uint8Array | undefined {
  if (!document.gzip) return undefined;
  const state = states.get(document);
  if (state instanceof Uint8Array) return state;
  if (state === undefined) states.set(document, "requested");
  if (state !== "requested" || waiting.length >= WAITING_MAX) return undefined;
  states.set(document, "in progress");
  waiting.push(document);
  if (!isWorking) void work();
  return undefined;
}

async function work(): Promise<void> {
  isWorking = true;
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    states.set(next, await formOf(next));
  }
  isWorking = false;
}

async function formOf({ identity, gzip }: StoredDocument): Promise<State> {
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
  };
  try {
    const compressed = await compress(identity, { params });
    return gzip && compressed.length < gzip.length ? compressed : "useless";
  } catch {
    return "useless"; // for example out of memory; the gzip form remains
  }
}
