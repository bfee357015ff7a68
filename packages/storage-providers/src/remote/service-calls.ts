import { setTimeout as delay } from "node:timers/promises";
import { StorageError } from "../storage-error.ts";

/** Limits of the calls to a service. */
export type CallLimits = {
  /** Milliseconds that one attempt may take until the service answers. Default 30,000. */
  readonly timeoutMs?: number;
  /** Number of attempts. Default 4. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; each later pause is twice as long. Default 250. */
  readonly firstPauseMs?: number;
};

/** The errors of a service. */
export type ServiceErrors = {
  /** Whether another attempt may succeed. */
  isRetryable(error: unknown): boolean;
  /** Milliseconds that the service asks to wait; undefined when it names no time. */
  retryAfterMs?(error: unknown): number | undefined;
  /**
   * Returns the error for the caller of the store, usually a `StorageError`. `action` completes
   * "cannot …", such as `read oci/blobs/x`.
   */
  describe(error: unknown, action: string): unknown;
};

/** A call to a service. */
export type ServiceCall = {
  /** Completes "cannot …" in the message of an error. */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
  /** Replaces the limit of all calls, for calls that carry many bytes. */
  readonly timeoutMs?: number;
};

/** Calls a service with a timeout and a limited number of attempts. */
export type ServiceCalls = Disposable & {
  /**
   * Resolves to what `attempt` resolves to. Its signal aborts at the timeout, when the caller
   * aborts and when the store is closed; it does not matter whether the attempt obeys. `number`
   * counts from 1.
   *
   * Rejects with the reason of the caller's signal, or with the described error.
   */
  run<T>(
    call: ServiceCall,
    attempt: (signal: AbortSignal, number: number) => Promise<T>,
  ): Promise<T>;
  readonly errors: ServiceErrors;
};

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const PAUSE_MAX_MS = 5_000;

/** An attempt had no answer in time. */
class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** Creates the calls of one store. Disposal aborts those that run, and all later ones. */
export function createServiceCalls(errors: ServiceErrors, limits: CallLimits = {}): ServiceCalls {
  const { timeoutMs = TIMEOUT_MS, attempts = ATTEMPTS, firstPauseMs = FIRST_PAUSE_MS } = limits;
  const closing = new AbortController();
  const isRetryable = (error: unknown): boolean =>
    error instanceof NoAnswerError || errors.isRetryable(error);
  const describe = (error: unknown, action: string): unknown =>
    error instanceof NoAnswerError
      ? new StorageError("storage-unavailable", `cannot ${action}: ${error.message}`)
      : errors.describe(error, action);

  return {
    errors: { ...errors, isRetryable, describe },
    async run(call, attempt) {
      for (let number = 1; ; number += 1) {
        try {
          const limitMs = call.timeoutMs ?? timeoutMs;
          return await limited((signal) => attempt(signal, number), limitMs, [
            call.signal,
            closing.signal,
          ]);
        } catch (error) {
          if (call.signal?.aborted) throw call.signal.reason;
          if (closing.signal.aborted) throw closing.signal.reason;
          if (number >= attempts || !isRetryable(error)) throw describe(error, call.action);
          const pauseMs = errors.retryAfterMs?.(error) ?? firstPauseMs * 2 ** (number - 1);
          await pause(Math.min(pauseMs, PAUSE_MAX_MS), [call.signal, closing.signal]);
        }
      }
    },
    [Symbol.dispose]() {
      closing.abort(new StorageError("storage-unavailable", "the object store is closed"));
    },
  };
}

type Signals = readonly (AbortSignal | undefined)[];

/** Rejects at the timeout or abort, even when `attempt` ignores its signal. */
async function limited<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  signals: Signals,
): Promise<T> {
  using link = linkSignals(signals);
  link.signal.throwIfAborted();
  const timer = setTimeout(
    () => link.abort(new NoAnswerError(`the service did not answer in ${timeoutMs} ms`)),
    timeoutMs,
  );
  timer.unref();
  try {
    return await link.race(attempt(link.signal));
  } finally {
    clearTimeout(timer);
  }
}

async function pause(timeMs: number, signals: Signals): Promise<void> {
  using link = linkSignals(signals);
  await delay(timeMs, undefined, { signal: link.signal }).catch(() => link.signal.throwIfAborted());
}

/**
 * A signal that follows others until it is disposed of. `AbortSignal.any` would stay registered at
 * the signal of the store for as long as that lives.
 */
function linkSignals(signals: Signals) {
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => undefined);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  const followed = signals.flatMap((other) => {
    if (!other) return [];
    const follow = () => controller.abort(other.reason);
    if (other.aborted) follow();
    else other.addEventListener("abort", follow, { once: true });
    return [{ other, follow }];
  });
  return {
    signal,
    abort: (reason: unknown) => controller.abort(reason),
    race<T>(promise: Promise<T>): Promise<T> {
      promise.catch(() => undefined);
      return Promise.race([promise, aborted]);
    },
    [Symbol.dispose]() {
      for (const { other, follow } of followed) other.removeEventListener("abort", follow);
    },
  };
}
