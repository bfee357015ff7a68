import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import type { StoredDocument } from "./stored-document.ts";

/** So many documents wait at most; one that finds no room is tried again when it is asked for. */
const WAITING_MAX = 16;
const QUALITY = 5;

const compress = promisify(brotliCompress);

type State = "asked" | "under way" | "no use" | Uint8Array;

/** Lives as long as the document does: what the store's memory holds is the limit. */
const states = new WeakMap<StoredDocument, State>();
const waiting: StoredDocument[] = [];
let isWorking = false;

/**
 * The Brotli form of a document that has a gzip form, once there is one. It is not kept with the
 * document but made off the event loop, one at a time, for those that are asked for a second time
 * while they are in memory; until then the other forms have to do.
 */
export function brotliOf(document: StoredDocument): Uint8Array | undefined {
  if (!document.gzip) return undefined;
  const state = states.get(document);
  if (state instanceof Uint8Array) return state;
  if (state === undefined) states.set(document, "asked");
  if (state !== "asked" || waiting.length >= WAITING_MAX) return undefined;
  states.set(document, "under way");
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
    return gzip && compressed.length < gzip.length ? compressed : "no use";
  } catch {
    return "no use"; // out of memory, say; gzip is an answer all the same
  }
}
