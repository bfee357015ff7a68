import type { ByteSource } from "@sealhouse/http-responses";
import { isCallError } from "@sealhouse/http-responses/outgoing";
import { runLeased } from "@sealhouse/jobs";
import type { Leases } from "@sealhouse/jobs";
import { laneOf } from "../calls/lanes.ts";
import { wordsOf } from "../calls/source-calls.ts";
import type { OwnCalls } from "../calls/own-calls.ts";
import type { Spool } from "./spool.ts";
import { createSpool } from "./spool.ts";
import {
  isUpstreamUnavailable,
  unavailableAfter,
  UpstreamUnavailableError,
  withoutLease,
} from "../calls/upstream-error.ts";

/** A file on its way from a source. */
export type OpenedFile = AsyncDisposable & {
  /** Bytes, where the source tells. */
  readonly size: number | undefined;
  /** Throws when the bytes are not those that were expected, at the latest at their end. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** A file to fetch, and its place here. */
export type ArrivalAsk = {
  /** Identifies the file on all instances. */
  readonly key: string;
  /** Name of the source, for errors. */
  readonly source: string;
  /** A file with more bytes is a failure of the source. */
  readonly maxBytes: number;
  /** Starts the transfer; undefined when the source does not have the file. */
  readonly open: (signal: AbortSignal) => Promise<OpenedFile | undefined>;
  /**
   * Reads the body, verifies it, and names it; `passed` when the bytes are right and are not kept.
   * Absent where nothing is kept.
   */
  readonly keep?: (
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) => Promise<"kept" | "passed">;
  /** Called when the source has no such file, or another one than its documents describe. */
  readonly onRefused?: () => void;
  /** Whether the file has been kept, perhaps by another instance. */
  readonly isKept: () => Promise<boolean>;
};

/** Result of a fetched file. */
export type ArrivalAnswer =
  /** It is kept now and can be read like any other file. */
  | { readonly status: "kept" }
  /** It is being transferred. Reads end only after it is verified and kept. */
  | { readonly status: "arriving"; readonly content: ByteSource }
  | { readonly status: "absent" };

/** Files that are being transferred from sources. */
export type Arrivals = AsyncDisposable & {
  /**
   * Transfers a file, or joins its transfer: one call serves all clients of all instances. The
   * transfer continues when clients leave.
   * @throws UpstreamUnavailableError when the source cannot be asked
   */
  fetch(ask: ArrivalAsk): Promise<ArrivalAnswer>;
};

const LEASE_MS = 15_000;
const WAIT_MAX_MS = 30_000;
const RETRY_AFTER_SECONDS = 10;

type Begun = { readonly size: number | undefined; readonly spool: Spool };
type Ended = { readonly status: "kept" | "passed" | "absent" };
type Transfer = {
  /** Resolves when the source has answered. */
  readonly opened: Promise<Begun | Ended>;
  readonly ended: Promise<Ended>;
  /** Audience of the request that began it. */
  readonly audience: string;
};

export function createArrivals({
  leases,
  ownCalls,
  folder,
  transferWaitMaxMs: waitMaxMs = WAIT_MAX_MS,
}: {
  readonly leases: Leases;
  readonly ownCalls: Pick<OwnCalls, "audience" | "isForEveryone">;
  /** For files that are larger than 768 KiB. */
  readonly folder: string;
  readonly transferWaitMaxMs?: number;
}): Arrivals {
  const transfers = new Map<string, Transfer>();
  const stopped = new AbortController();

  const start = (id: string, ask: ArrivalAsk): Transfer => {
    const opened = Promise.withResolvers<Begun | Ended>();
    const ended = runTransfer(
      { leases, folder, waitMaxMs, stop: stopped.signal },
      ask,
      opened.resolve,
    );
    // A client that waits for one of the two gets the error.
    const forget = () => transfers.delete(id);
    ended
      .then(opened.resolve, opened.reject)
      .finally(forget)
      .catch(() => undefined);
    opened.promise.catch(() => undefined);
    return { opened: opened.promise, ended, audience: ownCalls.audience() };
  };

  const fetch = async (id: string, ask: ArrivalAsk): Promise<ArrivalAnswer> => {
    for (;;) {
      const transfer = transfers.get(id) ?? start(id, ask);
      transfers.set(id, transfer);
      const answer = await answerOf(transfer, await transfer.opened);
      // The source may have the file for others than the request that began the transfer.
      const isForOthers = transfer.audience !== ownCalls.audience();
      if (answer?.status === "absent" && isForOthers) return fetch(ownId(ask), ask);
      if (answer) return answer;
      if (transfers.get(id) === transfer) transfers.delete(id);
    }
  };
  const ownId = ({ key }: ArrivalAsk) => `${key}\n${ownCalls.audience()}`;

  return {
    async fetch(ask) {
      stopped.signal.throwIfAborted();
      return fetch(ownCalls.isForEveryone() ? ask.key : ownId(ask), ask);
    },
    async [Symbol.asyncDispose]() {
      stopped.abort(new Error("the registry stops"));
      await Promise.allSettled([...transfers.values()].map(({ ended }) => ended));
    },
  };
}

/** Undefined when the transfer is over, and nothing of it was kept. */
async function answerOf(
  { ended }: Transfer,
  opened: Begun | Ended,
): Promise<ArrivalAnswer | undefined> {
  if ("status" in opened) return isKeptOrAbsent(opened) ? opened : missing();
  const { spool } = opened;
  const read = spool.readLater();
  // All bytes have been read, but the transfer is still giving up its lease.
  if (!read) return ended.then((end) => (isKeptOrAbsent(end) ? end : undefined));
  // Without bytes, nothing waits for the end, where the file is verified.
  if (opened.size !== undefined && opened.size > 0) {
    return { status: "arriving", content: { size: opened.size, read } };
  }
  // A response needs the length first.
  const end = await ended;
  if (isKeptOrAbsent(end)) return end;
  return { status: "arriving", content: { size: spool.size(), read } };
}

function isKeptOrAbsent(ended: Ended): ended is Extract<ArrivalAnswer, Ended> {
  return ended.status !== "passed";
}

function missing(): never {
  throw new Error("a transfer that keeps nothing ended before it began");
}

async function runTransfer(
  parts: {
    readonly leases: Leases;
    readonly folder: string;
    readonly waitMaxMs: number;
    readonly stop: AbortSignal;
  },
  ask: ArrivalAsk,
  onOpen: (begun: Begun) => void,
): Promise<Ended> {
  const lease = { name: laneOf("upstream-artifact", ask.key), leaseMs: LEASE_MS };
  const waiting = { ...lease, waitMaxMs: parts.waitMaxMs, endsEarly: true, signal: parts.stop };
  const transfer = runLeased(parts.leases, waiting, async (signal): Promise<Ended> => {
    if (await ask.isKept()) return { status: "kept" };
    await using file = await ask.open(signal);
    if (!file) {
      ask.onRefused?.();
      return { status: "absent" };
    }
    if ((file.size ?? 0) > ask.maxBytes) throw tooLarge(ask);
    await using spool = createSpool(parts.folder, file.size);
    onOpen({ size: file.size, spool });
    try {
      const body = copied(bodyOf(file, ask, signal), spool);
      const status = ask.keep ? await ask.keep(unclosed(body), signal) : "passed";
      // Bytes that `keep` did not need to read.
      await drain(body);
      spool.finish();
      return { status };
    } catch (error) {
      if (isRefusedFile(error)) ask.onRefused?.();
      const failure = isCallError(error)
        ? unavailableAfter(ask.source, wordsOf(error), error)
        : error;
      spool.fail(withoutLease(failure, ask.source));
      throw failure;
    }
  });
  const outcome = await transfer.catch((error: unknown) => {
    throw withoutLease(error, ask.source);
  });
  if (outcome.status === "ended") return outcome.result;
  throw failureOf(ask, "is still sending the file");
}

/** Whether a file is not the one that the documents of its source describe. */
function isRefusedFile(error: unknown): boolean {
  return isCallError(error) && (error.code === "integrity" || error.code === "mismatch");
}

/** Yields the bytes of a file; throws when the source ends them early or sends too many. */
async function* bodyOf(
  { body }: OpenedFile,
  ask: ArrivalAsk,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  try {
    for await (const chunk of body) {
      received += chunk.length;
      if (received > ask.maxBytes) throw tooLarge(ask);
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isCallError(error) || isUpstreamUnavailable(error)) throw error;
    throw failureOf(ask, "sent only a part of a file", error);
  }
}

function tooLarge(ask: ArrivalAsk): UpstreamUnavailableError {
  return failureOf(ask, `has a file with more than ${ask.maxBytes} bytes, which are too many here`);
}

function failureOf(
  { source }: ArrivalAsk,
  reason: string,
  cause?: unknown,
): UpstreamUnavailableError {
  return new UpstreamUnavailableError(source, reason, RETRY_AFTER_SECONDS, cause);
}

/** Yields the same bytes. Leaving the loop early does not close `body`. */
async function* unclosed(body: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await body.next(); next.done !== true; next = await body.next()) {
    yield next.value;
  }
}

async function drain(body: AsyncIterator<Uint8Array>): Promise<void> {
  for (let next = await body.next(); next.done !== true; next = await body.next());
}

/** Yields the same bytes, and appends them to the spool. */
async function* copied(body: AsyncIterable<Uint8Array>, spool: Spool): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    await spool.append(chunk);
    yield chunk;
  }
}
