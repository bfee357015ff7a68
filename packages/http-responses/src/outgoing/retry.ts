import { CallError } from "./call-error.ts";
import type { CallFailure } from "./call-error.ts";
import { addressRefusalOf } from "./checked-lookup.ts";
import type { Answer } from "./exchange.ts";
import { CallTimeoutError } from "./call-timeouts.ts";

/** Limits of the attempts of one call, for callers that have other sources or older answers. */
export type Patience = {
  /** Attempts in total. */
  readonly attemptsMax: number;
  /** Longest pause between two attempts in milliseconds; a longer `Retry-After` is a failure. */
  readonly waitMaxMs: number;
};

export type RetryOptions = {
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly now: () => Date;
  readonly failure: CallFailure;
  /** Default: 4 attempts, and pauses of a minute. */
  readonly patience?: Patience | undefined;
};

const ATTEMPTS_MAX = 4;
const WAIT_MS = 500;
const WAIT_MAX_MS = 10_000;
/** Longest `Retry-After` that a call waits for. If the server requests more, the call fails. */
const RETRY_AFTER_MAX_MS = 60_000;
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Returns true for a status that may change on a retry. */
export function isPassingStatus(status: number): boolean {
  return PASSING.has(status);
}

/** Failure of one attempt that a retry may resolve. */
export class TransientError extends Error {
  override readonly name = "TransientError";
  readonly code = "transient-answer";
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor({ status, headers }: Pick<Answer, "status" | "headers">, now: Date) {
    super(`was answered ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs(headers, now);
  }
}

/**
 * Runs a read-only call and retries transient failures.
 * @throws {CallError} `unreachable` after the last attempt; the reason of `signal` when it aborts
 */
export async function withRetries<T>(
  url: URL,
  call: () => Promise<T>,
  options: RetryOptions & { readonly signal?: AbortSignal | undefined },
): Promise<T> {
  const { attemptsMax = ATTEMPTS_MAX, waitMaxMs = RETRY_AFTER_MAX_MS } = options.patience ?? {};
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof CallError) throw error;
      const waitMs = error instanceof TransientError ? error.retryAfterMs : undefined;
      const isLast = attempt >= attemptsMax || (waitMs ?? 0) > waitMaxMs;
      if (isLast || !isPassing(error)) throw unreachable(url, error, options);
      const pauseMs = Math.min(WAIT_MS * 2 ** (attempt - 1), WAIT_MAX_MS);
      await options.wait(waitMs ?? pauseMs, options.signal);
    }
  }
}

/** Returns true for failures of the network and of busy servers, false for invalid calls. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransientError || error instanceof CallTimeoutError) return true;
  if (!(error instanceof Error)) return false;
  // The host itself refuses the address.
  if (addressRefusalOf(error)) return false;
  return "code" in error || error.cause instanceof Error;
}

export function unreachable(
  url: URL,
  error: unknown,
  { failure }: Pick<RetryOptions, "failure">,
): CallError {
  const status = error instanceof TransientError ? error.status : undefined;
  const wait = error instanceof TransientError ? error.retryAfterMs : undefined;
  return failure("unreachable", {
    url,
    reason: reasonText(error),
    status,
    retryAfterMs: wait,
    cause: error,
  });
}

/** Includes the cause, because `fetch` reports the actual failure only there. */
function reasonText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== "" ? `${message} (${cause.message})` : message;
}

/** The header is seconds or a date; undefined without one that can be read. */
export function retryAfterMs(headers: Headers, now: Date): number | undefined {
  const header = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const timeMs = header === "" ? Number.NaN : new Date(header).getTime();
  return Number.isNaN(timeMs) ? undefined : Math.max(0, timeMs - now.getTime());
}
