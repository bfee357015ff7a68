import type { Outgoing } from "./outgoing-request.ts";

/** Timeouts of one call: for the whole call, and without activity. */
export type CallTimeouts = {
  readonly signal: AbortSignal;
  touch(): void;
  /** Yields the chunks of `body`; limits the time that each next 16 KiB may take. */
  receiving(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
  /** Yields the chunks of `body`; limits the time until the receiver requests the next one. */
  sending(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
  /** Returns the reason that aborted the call, or else `error`. */
  reasonOf(error: unknown): unknown;
  /** Stops the timeouts. */
  end(): void;
};

export class CallTimeoutError extends Error {
  override readonly name = "CallTimeoutError";
  readonly code = "call-timeout";
}

/** Less than this within the time without activity is as good as nothing: a body that drips would
 * never end. */
const PACE_BYTES = 16 * 1024;

export function createCallTimeouts(
  { signal, timeoutMs }: Pick<Outgoing, "signal" | "timeoutMs">,
  idleTimeoutMs: number,
): CallTimeouts {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  const after = (ms: number, words: string) =>
    setTimeout(() => controller.abort(new CallTimeoutError(words)), ms);
  const whole =
    timeoutMs === undefined ? undefined : after(timeoutMs, `no answer within ${timeoutMs} ms`);
  let isOver = false;
  let idle: NodeJS.Timeout | undefined;
  const pause = () => clearTimeout(idle);
  const touch = (leftMs = idleTimeoutMs) => {
    pause();
    if (!isOver) idle = after(leftMs, `too little came within ${idleTimeoutMs} ms`);
  };
  touch();
  return {
    signal: controller.signal,
    touch: () => touch(),
    async *receiving(body) {
      const chunks = body[Symbol.asyncIterator]();
      let leftMs = idleTimeoutMs;
      let bytes = 0;
      try {
        for (;;) {
          const since = performance.now();
          touch(leftMs);
          const { done, value } = await orAborted(chunks.next(), controller.signal);
          pause();
          if (done === true) return;
          bytes += value.length;
          leftMs -= performance.now() - since;
          if (bytes >= PACE_BYTES) [bytes, leftMs] = [0, idleTimeoutMs];
          yield value;
        }
      } finally {
        const left = Promise.resolve(chunks.return?.()).catch(() => undefined);
        // While a chunk is pending, `return` never resolves.
        if (!controller.signal.aborted) await left;
      }
    },
    async *sending(body) {
      pause();
      for await (const chunk of body) {
        touch();
        yield chunk;
        pause();
      }
      touch();
    },
    reasonOf: (error) => (controller.signal.aborted ? controller.signal.reason : error),
    end() {
      isOver = true;
      pause();
      clearTimeout(whole);
      signal?.removeEventListener("abort", abort);
    },
  };
}

/** Some implementations of `fetch` do not end the body when the signal aborts. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
