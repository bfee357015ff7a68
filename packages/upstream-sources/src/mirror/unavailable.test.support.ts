import type { DescribeUnavailable } from "@sealhouse/http-responses";
import { hasRetryAfter, TooManyAbsentError } from "./calls/absent-calls.ts";

/** Describes failures of sources like a host. */
export const unavailable: DescribeUnavailable = (error) =>
  hasRetryAfter(error)
    ? {
        code: error.code,
        text: error.message,
        retryAfterSeconds: error.retryAfterSeconds,
        ...(error instanceof TooManyAbsentError && { isCallerLimited: true }),
      }
    : undefined;
