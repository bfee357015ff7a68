import { errorCodeOf } from "@sealhouse/http-responses";
import { addressRefusalOf } from "@sealhouse/http-responses/outgoing";
import type { CallError } from "@sealhouse/http-responses/outgoing";
import type { LostLeaseError } from "@sealhouse/jobs";

const RETRY_AFTER_SECONDS = 10;
const FORBIDDEN = "is at, or refers to, an address that this registry must not call";

/** No source can answer now, and nothing that may be served is kept. */
export class UpstreamUnavailableError extends Error {
  override readonly name = "UpstreamUnavailableError";
  readonly code = "upstream-unavailable";
  readonly source: string;
  /** Undefined when a later call fails as well, because the registry must not call the source. */
  readonly retryAfterSeconds: number | undefined;

  /** `reason` is for people, without addresses and secrets. */
  constructor(
    source: string,
    reason: string,
    retryAfterSeconds: number | undefined,
    cause?: unknown,
  ) {
    const advice =
      retryAfterSeconds === undefined
        ? "The operator of this registry must change the source."
        : "Try again later.";
    super(`The package source "${source}" ${reason}. ${advice}`, { cause });
    this.source = source;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether the registry's own rules forbid the call, so that it fails until an operator acts. */
export function isForbiddenCall(error: CallError): boolean {
  return addressRefusalOf(error) !== undefined;
}

/** The failure of a call, with the pause that the source asked for. `reason` as above. */
export function unavailableAfter(
  source: string,
  reason: string,
  error: CallError,
): UpstreamUnavailableError {
  if (isForbiddenCall(error)) {
    return new UpstreamUnavailableError(source, FORBIDDEN, undefined, error);
  }
  const waitMs = error.retryAfterMs ?? RETRY_AFTER_SECONDS * 1000;
  return new UpstreamUnavailableError(source, reason, Math.ceil(waitMs / 1000), error);
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
