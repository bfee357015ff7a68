import { StorageError } from "./storage-error.ts";

/** Limits of reading a body. */
export type BodyLimits = { readonly maxBytes?: number; readonly signal?: AbortSignal };

/** Passes chunks through. Throws when the body exceeds the limit or the signal aborts. */
export async function* guardedBody(
  body: AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: BodyLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of signal ? untilAborted(body, signal) : body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new StorageError(
        "storage-too-large",
        `the body has more than the ${maxBytes} bytes allowed`,
      );
    }
    yield chunk;
  }
}

/** Also aborts while waiting for a chunk. */
async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal.throwIfAborted();
  const source = body[Symbol.asyncIterator]();
  let interrupt: ((reason: unknown) => void) | undefined;
  const onAbort = () => interrupt?.(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  let ended = false;
  try {
    while (true) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        interrupt = reject;
        source.next().then(resolve, (error: unknown) => {
          ended = true;
          reject(error);
        });
      });
      ended = next.done === true;
      if (next.done) return;
      yield next.value;
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (!ended) await closeSource(source, signal.aborted);
  }
}

async function closeSource(source: AsyncIterator<Uint8Array>, aborted: boolean): Promise<void> {
  const closing = Promise.resolve(source.return?.());
  // A generator that waits for its source handles `return` only afterwards, so do not wait for it.
  if (aborted) closing.catch(() => undefined);
  else await closing;
}
