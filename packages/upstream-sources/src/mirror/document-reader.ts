import { gunzip, gzip } from "node:zlib";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { isCallError } from "@sealhouse/http-responses/outgoing";
import { runLeased } from "@sealhouse/jobs";
import type { Leases } from "@sealhouse/jobs";
import { contentKeyOf } from "../sources/package-source.ts";
import type { PackageSource } from "../sources/package-source.ts";
import { freshnessOf } from "./freshness.ts";
import { keptAfter } from "./kept-after.ts";
import type { FetchedDocument, Validators } from "./kept-after.ts";
import { laneOf } from "./lanes.ts";
import type { DocumentKey, KeptDocument, KeptDocuments } from "./ports.ts";
import type { SourceCalls } from "./source-calls.ts";
import { UpstreamUnavailableError } from "./upstream-error.ts";

/** A document to read from a source. */
export type DocumentAsk = Omit<DocumentKey, "source" | "protocol"> & {
  readonly source: PackageSource;
  /** Asks the source; throws `CallError` when it cannot answer, or answers something else. */
  readonly fetch: (
    validators: Validators,
    signal: AbortSignal,
    /** Returns the bytes that are kept so far. */
    before: () => Promise<Uint8Array | undefined>,
  ) => Promise<FetchedDocument>;
  /** Groups of rendered documents that a new revision makes stale. */
  readonly staleGroups?: readonly string[];
  /** Whether the document has the requested version. Otherwise the source is asked once more. */
  readonly isEnough?: (bytes: Uint8Array) => boolean;
  /** Time to wait for the comparison of an old document with the source. Default: none, the
   * document is served at once. */
  readonly patienceMs?: number;
};

/** A document of a source, or the fact that there is no such document. */
export type DocumentAnswer =
  | {
      readonly status: "found";
      /** SHA-256 of the bytes. */
      readonly revision: string;
      readonly bytes: () => Promise<Uint8Array>;
      readonly checkedAt: Date;
      /** The source has failed since; the document is an older one. */
      readonly staleSince?: Date;
    }
  | { readonly status: "absent" };

/** Reads documents of sources, through rows. */
export type DocumentReader = {
  /**
   * Returns a document of a source: the kept one while it is fresh, or after a comparison with the
   * source. One call to the source serves all who ask, on all instances.
   * @throws UpstreamUnavailableError when the source fails and no document may be served
   */
  read(ask: DocumentAsk): Promise<DocumentAnswer>;
  /** Waits for comparisons in the background. */
  settled(): Promise<void>;
};

export type DocumentReaderParts = {
  readonly documents: KeptDocuments;
  readonly leases: Leases;
  readonly calls: SourceCalls;
  readonly now: () => Date;
  /** Whether no source is ever asked. */
  readonly isOffline: boolean;
  /** Ends all calls. */
  readonly stop: AbortSignal;
};

const LEASE_MS = 15_000;
const WAIT_MAX_MS = 30_000;
/** Time for which all who ask share a failure. */
const SHARED_FAILURE_MS = 5_000;
const FAILURES_MAX = 10_000;

type Failure = { readonly at: Date; readonly error: unknown };

export function createDocumentReader(parts: DocumentReaderParts): DocumentReader {
  const { documents, now, isOffline } = parts;
  const running = new Map<string, Promise<void>>();
  const failures = new Map<string, Failure>();

  /** Joins the running comparison, or starts one. */
  const compare = (ask: DocumentAsk, key: DocumentKey): Promise<void> => {
    const id = idOf(key);
    const failure = failures.get(id);
    if (failure && now().getTime() - failure.at.getTime() < SHARED_FAILURE_MS) {
      return Promise.reject(failure.error);
    }
    const before = running.get(id);
    if (before) return before;
    const comparison = compareOnce(parts, ask, key)
      .then(() => void failures.delete(id))
      .catch((error: unknown) => {
        remember(failures, id, { at: failures.get(id)?.at ?? now(), error });
        throw error;
      })
      .finally(() => running.delete(id));
    running.set(id, comparison);
    return comparison;
  };

  const answerOf = (key: DocumentKey, kept: KeptDocument): DocumentAnswer => {
    if (kept.status === "absent") return { status: "absent" };
    const staleSince = failures.get(idOf(key))?.at;
    return {
      status: "found",
      revision: kept.revision,
      bytes: () => bytesOf(documents, key),
      checkedAt: kept.checkedAt,
      ...(staleSince && { staleSince }),
    };
  };

  const mustCompare = async (ask: DocumentAsk, key: DocumentKey, kept: KeptDocument) => {
    if (!ask.isEnough || kept.status === "absent") return false;
    const ageMs = now().getTime() - kept.checkedAt.getTime();
    if (ageMs < ask.source.settings.revalidateAfterMs / 10) return false;
    return !ask.isEnough(await bytesOf(documents, key));
  };

  return {
    async read(ask) {
      const key = keyOf(ask);
      const kept = await documents.find(key);
      if (isOffline) return kept ? answerOf(key, kept) : { status: "absent" };
      const freshness = kept ? freshnessOf(kept, ask.source.settings, now()) : "expired";
      if (kept && freshness !== "expired" && !(await mustCompare(ask, key, kept))) {
        if (freshness !== "old") return answerOf(key, kept);
        const compared = compare(ask, key).catch(() => undefined);
        if (ask.patienceMs === undefined) return answerOf(key, kept);
        await withinMs(compared, ask.patienceMs);
        return answerOf(key, (await documents.find(key)) ?? kept);
      }
      try {
        await compare(ask, key);
      } catch (error) {
        if (kept?.status === "found" && freshness !== "expired") return answerOf(key, kept);
        throw error;
      }
      const compared = await documents.find(key);
      return compared ? answerOf(key, compared) : { status: "absent" };
    },
    async settled() {
      await Promise.allSettled(running.values());
    },
  };
}

async function withinMs(work: Promise<void>, ms: number): Promise<void> {
  const ended = new AbortController();
  const options = { signal: ended.signal, ref: false };
  await Promise.race([work, pause(ms, undefined, options).catch(() => undefined)]);
  ended.abort();
}

async function compareOnce(
  parts: DocumentReaderParts,
  ask: DocumentAsk,
  key: DocumentKey,
): Promise<void> {
  const { leases, documents, calls, now, stop } = parts;
  const before = await documents.find(key);
  const lease = { name: laneOf("upstream-document", idOf(key)), leaseMs: LEASE_MS };
  const waiting = { ...lease, waitMaxMs: WAIT_MAX_MS, signal: stop };
  const outcome = await runLeased(leases, waiting, async (signal) => {
    const kept = await documents.find(key);
    // Another instance may have asked in the meantime.
    if (kept && kept.checkedAt.getTime() !== before?.checkedAt.getTime()) return;
    const validators = kept?.status === "found" ? validatorsOf(kept) : {};
    const bytesBefore = async () =>
      kept?.status === "found" ? bytesOf(documents, key) : undefined;
    const fetched = await calls.run(ask.source, signal, (callSignal) =>
      ask.fetch(validators, callSignal, bytesBefore),
    );
    const { document, bytes, isChanged } = keptAfter(kept, fetched, now());
    const compressed = bytes && { bytes: await compress(bytes) };
    await documents.put(
      key,
      { ...document, ...compressed },
      isChanged ? (ask.staleGroups ?? []) : [],
    );
  });
  if (outcome.status === "busy") {
    throw new UpstreamUnavailableError(ask.source.name, "takes too long to answer", 10);
  }
}

function validatorsOf({ etag, lastModified }: KeptDocument): Validators {
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

const compress = promisify<Uint8Array, Buffer>(gzip);
const inflate = promisify<Uint8Array, Buffer>(gunzip);

async function bytesOf(documents: KeptDocuments, key: DocumentKey): Promise<Uint8Array> {
  const bytes = await documents.bytes(key);
  if (!bytes) throw new Error(`the kept document of ${key.name} has no bytes`);
  return inflate(bytes);
}

function keyOf({ source, kind, name, part }: DocumentAsk): DocumentKey {
  return { protocol: source.protocol, source: contentKeyOf(source), kind, name, part };
}

function idOf({ protocol, source, kind, name, part }: DocumentKey): string {
  return [protocol, source, kind, name, part].join("\n");
}

function remember(failures: Map<string, Failure>, id: string, failure: Failure): void {
  failures.delete(id);
  failures.set(id, failure);
  const [oldest] = failures.keys();
  if (failures.size > FAILURES_MAX && oldest !== undefined) failures.delete(oldest);
}

/** Whether an error is a failure of the source, and not of this registry. */
export function isSourceFailure(error: unknown): boolean {
  return error instanceof UpstreamUnavailableError || isCallError(error);
}
