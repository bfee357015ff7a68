import type { ByteRange } from "../object-store.ts";
import { StorageError } from "../storage-error.ts";
import type { ServiceCalls } from "./service-calls.ts";

/** The position from which a body is read. */
export type BodyPosition = {
  /** Offset of the first byte. */
  readonly start: number;
  /** Offset of the last byte; undefined reads to the end. */
  readonly end?: number;
  /** The version that the earlier bytes came from, as the service names it. */
  readonly version?: string;
};

/** A body that the service has begun to send. */
export type OpenBody = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Number of bytes that the service announced; undefined when it did not. */
  readonly size?: number;
  /** Name of the version, such as an entity tag, so that a resumed body cannot mix two. */
  readonly version?: string;
};

/** Options of `resumedBody`. */
export type ResumedBodyOptions = {
  readonly action: string;
  readonly range?: ByteRange | undefined;
  /** Milliseconds without a byte before the connection counts as lost. Default 30,000. */
  readonly idleMs?: number;
  /** Number of lost connections that one body survives. Default 5. */
  readonly resumes?: number;
  /** Whether the memory of a chunk may be freed when the next is requested. Default false. */
  readonly reuse?: boolean | undefined;
  /**
   * Opens the body. Undefined when the position is past its end. The signal aborts when the body is
   * no longer needed.
   */
  readonly open: (position: BodyPosition, signal: AbortSignal) => Promise<OpenBody | undefined>;
};

const IDLE_MS = 30_000;
const RESUMES = 5;

/** The connection ended before the body did. */
class LostBodyError extends Error {
  override readonly name = "LostBodyError";
}

/**
 * Reads a body from a service. When the connection is lost in the middle, it continues with the
 * next byte of the same version. Holds one chunk in memory. Closes the connection at the end, or
 * when its reader stops early.
 */
export async function* resumedBody(
  calls: ServiceCalls,
  options: ResumedBodyOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { action, range, idleMs = IDLE_MS, resumes = RESUMES, reuse } = options;
  if (range && range.end < range.start) return;
  let position: BodyPosition = { start: range?.start ?? 0, ...(range && { end: range.end }) };
  for (let lost = 0; !isPastEnd(position); lost += 1) {
    const opening = openBody(calls, options, position);
    try {
      const body = await opening.body;
      if (!body) return;
      const { version } = body;
      if (version !== undefined) position = { ...position, version };
      for await (const chunk of chunksWithin(body, { idleMs, reuse })) {
        position = { ...position, start: position.start + chunk.length };
        yield chunk;
      }
      return;
    } catch (error) {
      if (!(error instanceof LostBodyError)) throw error;
      if (lost >= resumes) throw unavailable(error, action);
    } finally {
      opening.close();
    }
  }
}

/**
 * Frees the memory at once. The garbage collector lets tens of MiB of received chunks pile up,
 * because their objects are small.
 */
function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Opens the body. Its connection lives until `close`, longer than the call. */
function openBody(
  calls: ServiceCalls,
  { action, open }: ResumedBodyOptions,
  position: BodyPosition,
): { readonly body: Promise<OpenBody | undefined>; close(): void } {
  let reading = new AbortController();
  const body = calls.run({ action }, (signal) => {
    const attempt = (reading = new AbortController());
    signal.addEventListener("abort", () => attempt.abort(signal.reason), { once: true });
    return open(position, attempt.signal);
  });
  return { body, close: () => reading.abort() };
}

function isPastEnd({ start, end }: BodyPosition): boolean {
  return end !== undefined && start > end;
}

function unavailable({ message, cause }: LostBodyError, action: string): StorageError {
  return new StorageError("storage-unavailable", `cannot ${action}: ${message}`, { cause });
}

/**
 * Yields the chunks. Rejects with a `LostBodyError` when none comes in time, when the stream fails,
 * and when the body is shorter than announced.
 */
async function* chunksWithin(
  { chunks, size }: OpenBody,
  { idleMs, reuse }: { readonly idleMs: number; readonly reuse: boolean | undefined },
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = chunks[Symbol.asyncIterator]();
  let received = 0;
  let isOver = false;
  try {
    for (;;) {
      const next = await within(source.next(), idleMs);
      if (next.done) break;
      received += next.value.length;
      yield next.value;
      if (reuse) freeMemory(next.value);
    }
    isOver = true;
  } finally {
    // A stream that hangs handles `return` only after its next chunk, so do not wait for it.
    if (!isOver) Promise.resolve(source.return?.()).catch(() => undefined);
  }
  if (size !== undefined && received < size) {
    throw new LostBodyError(`the connection ended after ${received} of ${size} bytes`);
  }
}

async function within<T>(chunk: Promise<T>, timeMs: number): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new LostBodyError(`no byte came for ${timeMs} ms`));
  }, timeMs);
  timer.unref();
  const failed = chunk.catch((cause: unknown) => {
    throw new LostBodyError("the connection was lost", { cause });
  });
  failed.catch(() => undefined);
  try {
    return await Promise.race([failed, expired]);
  } finally {
    clearTimeout(timer);
  }
}
