import { BodyTooSlowError } from "./body-errors.ts";

/** Minimum rate at which a client must send a body. Only the time that the registry waits for the
 * client counts. */
export type BodyPace = {
  /** Minimum average over each window. */
  readonly bytesPerSecond: number;
  /** Length of a window, and the time before the first check of a body. */
  readonly windowMs: number;
};

/** Checks per window. A slow body is detected at most one check after its window ends. */
const LATE_PARTS = 4;

/** Yields the chunks of a body. Throws `BodyTooSlowError` if the client sends too slowly, and then
 * leaves the body with a pending read. Leaving the loop early also ends the iterator of the body,
 * so that the caller can drain the rest. */
export async function* atPace(
  body: AsyncIterator<Uint8Array>,
  { bytesPerSecond, windowMs }: BodyPace,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytesWanted = (bytesPerSecond * windowMs) / 1_000;
  const window = { waitedMs: 0, bytes: 0 };
  let waiting: { readonly since: number; readonly fail: (error: Error) => void } | undefined;
  const look = () => {
    const pausedMs = waiting ? performance.now() - waiting.since : 0;
    if (window.waitedMs + pausedMs < windowMs || window.bytes >= bytesWanted) return;
    waiting?.fail(new BodyTooSlowError(bytesPerSecond, windowMs));
  };
  const timer = setInterval(look, Math.max(1, windowMs / LATE_PARTS));
  timer.unref();
  try {
    for (;;) {
      const since = performance.now();
      const read = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        waiting = { since, fail: reject };
        body.next().then(resolve, reject);
      });
      waiting = undefined;
      if (read.done === true) return;
      window.waitedMs += performance.now() - since;
      window.bytes += read.value.length;
      const isOver = window.waitedMs >= windowMs;
      if (isOver && window.bytes < bytesWanted)
        throw new BodyTooSlowError(bytesPerSecond, windowMs);
      if (isOver) Object.assign(window, { waitedMs: 0, bytes: 0 });
      yield read.value;
    }
  } finally {
    clearInterval(timer);
    if (!waiting) await body.return?.();
  }
}
