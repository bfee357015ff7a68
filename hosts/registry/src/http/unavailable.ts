import type { DatabaseUnavailability, RetiredCertificateError } from "@sealhouse/database";
import { errorCodeOf } from "@sealhouse/http-responses";
import type { DescribeUnavailable, Unavailable } from "@sealhouse/http-responses";
import type { StorageErrorCode } from "@sealhouse/storage-providers";
import { hasRetryAfter, TooManyAbsentError } from "@sealhouse/upstream-sources";
import type { SourceErrorCode } from "@sealhouse/upstream-sources";
import type { Log } from "../log.ts";

const SOON_SECONDS = 10;
/** Clients of the web pages, which show errors to a person. */
const LATER_SECONDS = 60;

const SOON = "Try again in a moment.";
const OPERATOR = "Nothing was stored. Its operator must free disk space.";

/** Errors that mean that the registry cannot answer now, by their codes; undefined: the error's own
 * message is for clients. */
const TEXTS = {
  "database-unreachable": `The registry cannot reach its database. ${SOON}`,
  "database-refused": `The registry cannot reach its database. ${SOON}`,
  "database-starting": `The registry's database is starting. ${SOON}`,
  "database-overloaded": `The registry's database accepts no more connections. ${SOON}`,
  "database-busy": `The registry's database is locked or busy. ${SOON}`,
  "database-read-only": `The registry's database is read-only at the moment. ${SOON}`,
  "database-full": `The registry's database has no disk space left. ${OPERATOR}`,
  "storage-unavailable": `The registry cannot reach its storage. ${SOON}`,
  "storage-read-only": `The registry's storage is read-only at the moment. ${SOON}`,
  "storage-staged-lost": "The registry lost the bytes of this upload. Send them again.",
  "storage-not-found": "The registry has lost the bytes of this artifact. Publish it again.",
  "storage-full": `The registry's storage has no disk space left. ${OPERATOR}`,
  "certificate-retired": undefined,
  "upstream-unavailable": undefined,
  "upstream-limited": undefined,
} as const satisfies Record<DatabaseUnavailability, string> &
  Partial<Record<StorageErrorCode, string>> &
  Record<RetiredCertificateError["code"] | SourceErrorCode, undefined>;

const WAITS_FOR_OPERATOR: ReadonlySet<string> = new Set(["database-full", "storage-full"]);

/** The one place that knows which errors mean that the registry cannot answer now. */
export function unavailability(error: unknown): Unavailable | undefined {
  const code = errorCodeOf(error);
  if (!(error instanceof Error) || code === undefined || !Object.hasOwn(TEXTS, code)) {
    return undefined;
  }
  if (code === "storage-not-found")
    return { code, text: TEXTS[code], isLost: true, retryAfterSeconds: undefined };
  return {
    code,
    ...(error instanceof TooManyAbsentError && { isCallerLimited: true }),
    text: TEXTS[code as keyof typeof TEXTS] ?? error.message,
    retryAfterSeconds: hasRetryAfter(error)
      ? error.retryAfterSeconds
      : WAITS_FOR_OPERATOR.has(code)
        ? LATER_SECONDS
        : SOON_SECONDS,
  };
}

/** The same, with a line in the log, which has more details, but for limits of callers. */
export function describeUnavailable(log: Log): DescribeUnavailable {
  return (error) => {
    const failure = unavailability(error);
    if (failure && failure.isCallerLimited !== true) {
      const why = error instanceof Error ? error.message : String(error);
      const message = failure.isLost
        ? "answered 404: the bytes of an artifact are lost"
        : failure.retryAfterSeconds === undefined
          ? "refused a request: its package source must not be called"
          : "answered 503: the registry is unavailable";
      log.warn({ code: failure.code, why }, message);
    }
    return failure;
  };
}
