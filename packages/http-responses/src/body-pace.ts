import { BodyTooSlowError } from "./body-errors.ts";

/** How slowly a client may send a body. Only the time counts in which the registry waits for the
 * client. */
export type BodyPace = {
  /** On average over each window. */
  readonly bytesPerSecond: number;
  /** Also the time that every body has before it is judged. */
  readonly windowMs: number;
};

/** So much later than the window ends a slow body may be noticed. */
const LATE_PARTS = 4;

/** Walks a body and rejects with `BodyTooSlowError` when the client keeps it waiting for too long:
 * then the body is left as it is, with a read under way. Who leaves earlier ends the body's own
 * iterator, too, so that the rest can be drained. */
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
