import { CallError } from "./call-error.ts";
import type { CallFailure } from "./call-error.ts";
import type { Answer } from "./exchange.ts";
import { CallTimeoutError } from "./watch.ts";

export type RetryOptions = {
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly now: () => Date;
  readonly failure: CallFailure;
};

const ATTEMPTS_MAX = 4;
const WAIT_MS = 500;
const WAIT_MAX_MS = 10_000;
/** A server that wants more than this gets no further attempt from this call. */
const RETRY_AFTER_MAX_MS = 60_000;
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** The server may answer otherwise in a moment. */
export function isPassingStatus(status: number): boolean {
  return PASSING.has(status);
}

/** Thrown by an attempt that another one may follow. */
export class PassingError extends Error {
  override readonly name = "PassingError";
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor({ status, headers }: Pick<Answer, "status" | "headers">, now: Date) {
    super(`was answered ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs(headers, now);
  }
}

/**
 * Runs a call that changes nothing, again when it fails in a way that passes.
 * @throws {CallError} `unreachable` in the end; at once what `signal` was aborted with
 */
export async function withRetries<T>(
  url: URL,
  call: () => Promise<T>,
  options: RetryOptions & { readonly signal?: AbortSignal | undefined },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof CallError) throw error;
      const asked = error instanceof PassingError ? error.retryAfterMs : undefined;
      const isLast = attempt === ATTEMPTS_MAX || (asked ?? 0) > RETRY_AFTER_MAX_MS;
      if (isLast || !isPassing(error)) throw unreachable(url, error, options);
      const pauseMs = Math.min(WAIT_MS * 2 ** (attempt - 1), WAIT_MAX_MS);
      await options.wait(asked ?? pauseMs, options.signal);
    }
  }
}

/** What the network does to a call, or a busy server; not what a call itself is wrong in. */
function isPassing(error: unknown): boolean {
  if (error instanceof PassingError || error instanceof CallTimeoutError) return true;
  if (!(error instanceof Error)) return false;
  return "code" in error || error.cause instanceof Error;
}

export function unreachable(
  url: URL,
  error: unknown,
  { failure }: Pick<RetryOptions, "failure">,
): CallError {
  const status = error instanceof PassingError ? error.status : undefined;
  const wait = error instanceof PassingError ? error.retryAfterMs : undefined;
  return failure("unreachable", {
    url,
    reason: reasonText(error),
    status,
    retryAfterMs: wait,
    cause: error,
  });
}

/** `fetch` hides what happened in the cause. */
function reasonText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== "" ? `${message} (${cause.message})` : message;
}

/** The header is seconds or a date; undefined without one that can be read. */
export function retryAfterMs(headers: Headers, now: Date): number | undefined {
  const given = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000;
  const at = given === "" ? Number.NaN : new Date(given).getTime();
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
