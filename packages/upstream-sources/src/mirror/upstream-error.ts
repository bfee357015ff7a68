import { errorCodeOf } from "@sealhouse/http-responses";
import type { LostLeaseError } from "@sealhouse/jobs";

const RETRY_AFTER_SECONDS = 10;

/** No source can answer now, and nothing that may be served is kept. */
export class UpstreamUnavailableError extends Error {
  override readonly name = "UpstreamUnavailableError";
  readonly code = "upstream-unavailable";
  readonly source: string;
  readonly retryAfterSeconds: number;

  /** `reason` is for people, without addresses and secrets. */
  constructor(source: string, reason: string, retryAfterSeconds: number, cause?: unknown) {
    super(`The package source "${source}" ${reason}. Try again later.`, { cause });
    this.source = source;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether an error means that a source cannot answer, by its code. */
export function isUpstreamUnavailable(error: unknown): error is UpstreamUnavailableError {
  return errorCodeOf(error) === ("upstream-unavailable" satisfies UpstreamUnavailableError["code"]);
}

/** The same error; a lost lease, which needs a database, means that the source cannot be asked. */
export function withoutLease(error: unknown, source: string): unknown {
  if (errorCodeOf(error) !== ("lease-lost" satisfies LostLeaseError["code"])) return error;
  const reason = "did not answer before this registry lost its database";
  return new UpstreamUnavailableError(source, reason, RETRY_AFTER_SECONDS, error);
}
