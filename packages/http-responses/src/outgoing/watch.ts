import type { Outgoing } from "./outgoing-request.ts";

/** Ends a call in which nothing happens any more. */
export type Watch = {
  readonly signal: AbortSignal;
  touch(): void;
  /** The same chunks; waiting for the next one is what may take too long. */
  receiving(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
  /** The same chunks; waiting until the next one is wanted is what may take too long. */
  sending(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
  /** What really ended the call, where the error only says that it was aborted. */
  reasonOf(error: unknown): unknown;
  /** The call is over. */
  end(): void;
};

export class CallTimeoutError extends Error {
  override readonly name = "CallTimeoutError";
}

export function createWatch(
  { signal, timeoutMs }: Pick<Outgoing, "signal" | "timeoutMs">,
  idleTimeoutMs: number,
): Watch {
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
  const touch = () => {
    pause();
    if (!isOver) idle = after(idleTimeoutMs, `nothing came for ${idleTimeoutMs} ms`);
  };
  touch();
  return {
    signal: controller.signal,
    touch,
    async *receiving(body) {
      const chunks = body[Symbol.asyncIterator]();
      try {
        for (;;) {
          touch();
          const { done, value } = await orAborted(chunks.next(), controller.signal);
          pause();
          if (done === true) return;
          yield value;
        }
      } finally {
        const left = Promise.resolve(chunks.return?.()).catch(() => undefined);
        // Behind a chunk that never comes, leaving never ends either.
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

/** Not every implementation of `fetch` ends a body with its signal. */
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
