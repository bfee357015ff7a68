import { AsyncLocalStorage } from "node:async_hooks";
import { isUpstreamUnavailable } from "./upstream-error.ts";
import type { UpstreamUnavailableError } from "./upstream-error.ts";

/** A caller asked sources for too many names that they do not have. */
export class TooManyAbsentError extends Error {
  override readonly name = "TooManyAbsentError";
  readonly code = "upstream-limited";
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(
      "Too many requests from this network for names that no package source has. Try again " +
        "later, or sign in.",
    );
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Codes of errors with a time to wait. */
export type SourceErrorCode = TooManyAbsentError["code"] | UpstreamUnavailableError["code"];

/** Whether an error of a source has a time to wait. */
export function hasRetryAfter(
  error: unknown,
): error is TooManyAbsentError | UpstreamUnavailableError {
  return error instanceof TooManyAbsentError || isUpstreamUnavailable(error);
}

/**
 * Counts calls to sources for names that turned out to be absent. Returns the seconds to wait when
 * the caller of the running request has too many; a cost of 0 asks without counting.
 */
export type CountAbsent = (cost: 0 | 1) => number | undefined;

/** Limit of the calls to sources that a request for an absent name causes. */
export type AbsentCalls = {
  /** Runs the answer to a request. Other work, such as jobs, has no limit. */
  answer<T>(count: CountAbsent, work: () => T): T;
  /**
   * Called before a source is asked for a name of which nothing is known.
   *
   * @throws TooManyAbsentError
   */
  require(): void;
  /** The source does not have the name. */
  note(): void;
};

/** Creates the limit. */
export function createAbsentCalls(): AbsentCalls {
  const storage = new AsyncLocalStorage<CountAbsent>();
  return {
    answer: (count, work) => storage.run(count, work),
    require() {
      const waitSeconds = storage.getStore()?.(0);
      if (waitSeconds !== undefined) throw new TooManyAbsentError(waitSeconds);
    },
    note: () => void storage.getStore()?.(1),
  };
}
