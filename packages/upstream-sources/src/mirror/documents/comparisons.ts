import { BoundedCache } from "@sealhouse/bounded-cache";
import { runLeased } from "@sealhouse/jobs";
import type { PackageSource } from "../../sources/package-source.ts";
import type { DocumentBytes } from "./document-bytes.ts";
import type { DocumentAsk, DocumentReaderParts } from "./document-ask.ts";
import { keptAfter } from "./kept-after.ts";
import type { Validators } from "./kept-after.ts";
import { laneOf } from "../calls/lanes.ts";
import type { Observed } from "../calls/own-calls.ts";
import type { DocumentKey, KeptDocument } from "../ports.ts";
import { UpstreamUnavailableError, withoutLease } from "../calls/upstream-error.ts";

/** A document after a comparison. */
export type Compared = {
  readonly document: KeptDocument;
  /** The bytes of a document that has just come, or that is not kept because it is not what
   * everyone gets. */
  readonly bytes?: Uint8Array | undefined;
};

/**
 * Comparisons of kept documents with their sources. Requests that came through other registries
 * share only those of the same way: they must not wait for one that waits for them, and what they
 * get may be for them only.
 */
export type Comparisons = {
  /** Joins the running comparison, or starts one. Returns the document after it. */
  compare(ask: DocumentAsk, key: DocumentKey, kept: KeptDocument | undefined): Promise<Compared>;
  /** Since when the source fails; undefined when the last comparison succeeded. */
  failedSince(key: DocumentKey): Date | undefined;
  /** Waits for the running ones. */
  settled(): Promise<void>;
};

type Parts = DocumentReaderParts & {
  readonly bytes: DocumentBytes;
  /**
   * Documents that sources do not have, by `idOf`. They are remembered in memory only, because
   * clients may ask for any number of names; each instance asks for itself.
   */
  readonly absent: BoundedCache<string, KeptDocument>;
};

const ANSWER_MAX_MS = 2 * 60_000;
const RETRY_AFTER_SECONDS = 10;
const LEASE_MS = 15_000;
const WAIT_MAX_MS = 30_000;
/** Time for which all who ask share a failure. */
const SHARED_FAILURE_MS = 5_000;
const FAILURES_MAX = 10_000;

/** `since`: the first failure after the last success; `at`: the latest one. */
type Failure = { readonly since: Date; readonly at: Date; readonly error: unknown };

export function createComparisons(parts: Parts): Comparisons {
  const { now, ownCalls } = parts;
  const running = new Map<string, Promise<Observed<Compared>>>();
  const failures = new BoundedCache<string, Failure>({ entries: FAILURES_MAX });
  const sharedId = (key: DocumentKey) => `${idOf(key)}\n${ownCalls.audience()}`;
  return {
    async compare(ask, key, kept) {
      const id = sharedId(key);
      const failure = failures.get(id);
      if (failure && now().getTime() - failure.at.getTime() < SHARED_FAILURE_MS) {
        throw failure.error;
      }
      const before = running.get(id);
      if (before) return ownCalls.join(await before);
      const comparison = ownCalls
        .observe(() => compareOnce(parts, ask, { key, kept }))
        .then((compared) => {
          failures.delete(id);
          return compared;
        })
        .catch((error: unknown) => {
          const at = now();
          failures.set(id, { since: failures.get(id)?.since ?? at, at, error });
          throw error;
        })
        .finally(() => running.delete(id));
      running.set(id, comparison);
      return ownCalls.join(await comparison);
    },
    failedSince: (key) => failures.get(sharedId(key))?.since,
    async settled() {
      await Promise.allSettled(running.values());
    },
  };
}

async function compareOnce(
  parts: Parts,
  ask: DocumentAsk,
  { key, kept: before }: { readonly key: DocumentKey; readonly kept: KeptDocument | undefined },
): Promise<Compared> {
  const { leases, documents, ownCalls, stop } = parts;
  // The instance that has the lease may wait for this answer.
  if (ownCalls.audience() !== "") {
    return compareNow(parts, ask, { key, kept: await documents.find(key) }, stop);
  }
  const lease = { name: laneOf("upstream-document", idOf(key)), leaseMs: LEASE_MS };
  const waiting = { ...lease, waitMaxMs: WAIT_MAX_MS, endsEarly: true, signal: stop };
  const comparison = runLeased(leases, waiting, async (signal): Promise<Compared> => {
    const kept = await documents.find(key);
    // Another instance may have asked in the meantime.
    if (kept && kept.checkedAt.getTime() !== before?.checkedAt.getTime()) return { document: kept };
    return compareNow(parts, ask, { key, kept }, signal);
  });
  const outcome = await comparison.catch((error: unknown) => {
    throw withoutLease(error, ask.source.name);
  });
  if (outcome.status === "ended") return outcome.result;
  throw tooSlow(ask.source.name);
}

/** Asks the source, and keeps its answer if it is what everyone gets. */
async function compareNow(
  parts: Parts,
  ask: DocumentAsk,
  { key, kept }: { readonly key: DocumentKey; readonly kept: KeptDocument | undefined },
  signal: AbortSignal,
): Promise<Compared> {
  const { documents, bytes: keptBytes, absent, calls, now, ownCalls } = parts;
  const isConditional = kept?.status === "found" && ask.isUnconditional !== true;
  const validators = isConditional ? validatorsOf(kept) : {};
  const bytesBefore = async () =>
    kept?.status === "found" ? keptBytes.read(key, kept) : undefined;
  const fetched = await calls.run(
    ask.source,
    signal,
    (callSignal) =>
      inTime(parts, ask.source, callSignal, (limited) =>
        ask.fetch(validators, limited, bytesBefore),
      ),
    { isNewName: ask.claim !== undefined },
  );
  if (!ownCalls.isForEveryone()) {
    // The kept document of everyone does not replace "absent" here.
    const { document, bytes } = keptAfter(
      fetched.status === "absent" ? undefined : kept,
      fetched,
      now(),
    );
    return { document, bytes: bytes ?? (await bytesBefore()) };
  }
  const { document, bytes, isChanged } = keptAfter(kept, fetched, now());
  if (document.status === "absent" && !isChanged) {
    absent.set(idOf(key), document);
    return { document };
  }
  const gzip = fetched.status === "found" ? fetched.gzip : undefined;
  const packed = bytes && { bytes: await keptBytes.pack(document.revision, bytes, gzip) };
  const staleGroups = isChanged ? (ask.staleGroups ?? []) : [];
  const claim = document.status === "found" ? ask.claim : undefined;
  await documents.put(key, { ...document, ...packed }, staleGroups, claim);
  absent.delete(idOf(key));
  return { document, bytes };
}

/** A document may have many pages: each comes in time, and all of them may not. */
async function inTime<T>(
  { answerMaxMs = ANSWER_MAX_MS }: Pick<Parts, "answerMaxMs">,
  { name }: Pick<PackageSource, "name">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooSlow(name)), answerMaxMs);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(source: string): UpstreamUnavailableError {
  return new UpstreamUnavailableError(source, "takes too long to answer", RETRY_AFTER_SECONDS);
}

function validatorsOf({ etag, lastModified }: KeptDocument): Validators {
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

/** Identifies a document in the memory of this process. */
export function idOf({ protocol, source, kind, name, part }: DocumentKey): string {
  return [protocol, source, kind, name, part].join("\n");
}
