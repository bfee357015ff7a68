import type { Counted } from "../check/check-blobs.ts";
import type { ObjectInfo, ObjectKey } from "../object-store.ts";
import { StorageError } from "../storage-error.ts";
import type { StorageErrorCode } from "../storage-error.ts";
import { adoptStore, readMark, STORE_MARKER } from "../store-marker.ts";
import { digestInKey, isCopied } from "./copied-keys.ts";
import { copyObject } from "./copy-object.ts";
import type { ObjectCopy, ObjectOutcome, SourceObject } from "./copy-object.ts";
import { requireSameRegistry } from "./same-registry.ts";
import { countSource } from "./same-store.ts";

/** A copy of all objects of one store to another. */
export type StoreCopy = ObjectCopy & {
  /** The registry of the database. The marker of the target gets it. Default: as in the source. */
  readonly registryId?: string | undefined;
  /**
   * Returns the digests of keys that do not contain them: `sha256:<hex>` or `sha512:<hex>`. Damage
   * of objects without a digest is not detected.
   */
  readonly digestsOf: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Number of objects at once. Each may take the memory of one upload. */
  readonly concurrency: number;
  readonly onDifference: (difference: CopyDifference) => void;
  /** Called after each object. */
  readonly onProgress?: (summary: CopySummary) => void;
};

/** An object that the target lacks after the copy. */
export type CopyDifference = { readonly key: ObjectKey; readonly size: number } & (
  | { readonly problem: "damaged" }
  | { readonly problem: "failed"; readonly store: "source" | "target"; readonly error: unknown }
);

/** Totals of a copy. */
export type CopySummary = {
  /** Objects that the source has at the start. */
  readonly total: Counted;
  readonly copied: Counted;
  /** Objects that the target had already, with the same digest. */
  readonly verified: Counted;
  /** Objects of the journal, which are unchanged since. */
  readonly known: Counted;
  /** Objects without a digest among `copied` and `verified`. */
  readonly withoutDigest: Counted;
  /** Objects that the source has lost since the start. */
  readonly gone: Counted;
  /** Objects that do not have their digest in the source, and were not copied. */
  readonly damaged: Counted;
  readonly failed: Counted;
};

/** Keys in one lookup of digests. */
const PAGE_KEYS = 256;
/** After this many failed objects in a row, a store itself has failed. */
const FAILED_MAX = 20;
/** Errors that the next object would have too. */
const FATAL: ReadonlySet<StorageErrorCode> = new Set(["storage-full", "storage-read-only"]);

/**
 * Copies all objects, except those of running requests: bodies without a final key, parts of
 * uploads, probes. Compares each object with the digest in its key or of `digestsOf`. The marker of
 * the store comes last, when no object has failed.
 *
 * Safe while a registry uses the source; a second run then copies what was added. Rejects with the
 * errors of a store after 20 failed objects in a row, and when the target is full or read-only.
 *
 * @throws StoreCopyError for all reasons but that of the journal
 */
export async function copyStore(copy: StoreCopy): Promise<CopySummary> {
  await requireSameRegistry(copy);
  const total = await countSource(copy, copy.signal);
  const stop = new AbortController();
  const signal = copy.signal ? AbortSignal.any([copy.signal, stop.signal]) : stop.signal;
  const run = { ...copy, signal, totals: newTotals(total), failedInRow: 0 };
  const objects = sourceObjects(run);
  const worker = async () => {
    try {
      for await (const object of shared(objects)) await copyNext(run, object);
    } catch (error) {
      stop.abort(error);
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: copy.concurrency }, worker));
  await objects.return(undefined);
  if (ends.some(({ status }) => status === "rejected")) throw signal.reason;
  if (run.totals.failed.count === 0) await copyMarker(run);
  return run.totals;
}

type Count = { count: number; bytes: number };
type Run = StoreCopy & {
  readonly signal: AbortSignal;
  readonly totals: { readonly [Key in keyof CopySummary]: Count };
  failedInRow: number;
};

function newTotals(total: Counted): Run["totals"] {
  const none = () => ({ count: 0, bytes: 0 });
  const problems = { gone: none(), damaged: none(), failed: none() };
  const copies = { copied: none(), verified: none(), known: none(), withoutDigest: none() };
  return { total: { ...total }, ...copies, ...problems };
}

/** One iteration for several workers: a worker that ends does not close it for the others. */
function shared<T>(source: AsyncGenerator<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) };
}

async function* sourceObjects({ from, digestsOf, signal }: Run): AsyncGenerator<SourceObject> {
  let page: ObjectInfo[] = [];
  for await (const info of from.list("")) {
    signal.throwIfAborted();
    if (isCopied(info.key)) page.push(info);
    if (page.length < PAGE_KEYS) continue;
    yield* withDigests(page, digestsOf);
    page = [];
  }
  yield* withDigests(page, digestsOf);
}

async function* withDigests(
  page: readonly ObjectInfo[],
  digestsOf: StoreCopy["digestsOf"],
): AsyncGenerator<SourceObject> {
  const others = page.map(({ key }) => key).filter((key) => digestInKey(key) === undefined);
  const digests = others.length > 0 ? await digestsOf(others) : new Map<string, string>();
  for (const info of page) yield { info, digest: digestInKey(info.key) ?? digests.get(info.key) };
}

async function copyNext(run: Run, object: SourceObject): Promise<void> {
  run.signal.throwIfAborted();
  const outcome = await copyObject(run, object);
  const { size, key } = object.info;
  add(run.totals[outcome.status], size);
  const hasBytes = outcome.status === "copied" || outcome.status === "verified";
  if (hasBytes && object.digest === undefined) add(run.totals.withoutDigest, size);
  if (outcome.status === "damaged") run.onDifference({ key, size, problem: "damaged" });
  if (outcome.status === "failed") reportFailure(run, object.info, outcome);
  else run.failedInRow = 0;
  run.onProgress?.(run.totals);
}

/** Rejects when a store itself has failed. */
function reportFailure(
  run: Run,
  { key, size }: ObjectInfo,
  { store, error }: Extract<ObjectOutcome, { status: "failed" }>,
): void {
  run.onDifference({ key, size, problem: "failed", store, error });
  run.failedInRow += 1;
  const isFatal = error instanceof StorageError && FATAL.has(error.code);
  if (isFatal || run.failedInRow >= FAILED_MAX) throw error;
}

async function copyMarker(run: Run): Promise<void> {
  const mark = await readMark(run.from);
  const info = await run.from.stat(STORE_MARKER);
  if (!mark || !info) return;
  // A host of an older release wrote the marker.
  if (mark.registryId === undefined && run.registryId !== undefined) {
    await adoptStore(run.to, run.registryId);
    return;
  }
  const outcome = await copyObject(run, { info, digest: undefined });
  if (outcome.status === "failed") throw outcome.error;
}

function add(totals: Count, bytes: number): void {
  totals.count += 1;
  totals.bytes += bytes;
}
