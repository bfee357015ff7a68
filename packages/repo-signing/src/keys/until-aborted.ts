/**
 * Waits for the work no longer than until the signal aborts, whether or not the work minds it:
 * clients of key services look for credentials without.
 *
 * @throws the signal's reason
 */
export async function untilAborted<Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work(signal), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
