import { DatabaseUnavailableError, RetiredCertificateError } from "@sealhouse/database";
import type { DatabaseUnavailability } from "@sealhouse/database";
import type { DescribeUnavailable, Unavailable } from "@sealhouse/http-responses";
import { StorageError } from "@sealhouse/storage-providers";
import type { StorageErrorCode } from "@sealhouse/storage-providers";
import type { Log } from "../log.ts";

const SOON_SECONDS = 10;
/** What waits for a person. */
const LATER_SECONDS = 60;

const SOON = "Try again in a moment.";
const OPERATOR = "Nothing was stored. Its operator must free disk space.";

const DATABASE: Readonly<Record<DatabaseUnavailability, string>> = {
  unreachable: `The registry cannot reach its database. ${SOON}`,
  refused: `The registry cannot reach its database. ${SOON}`,
  starting: `The registry's database is starting. ${SOON}`,
  overloaded: `The registry's database accepts no more connections. ${SOON}`,
  busy: `The registry's database is locked or busy. ${SOON}`,
  "read-only": `The registry's database is read-only at the moment. ${SOON}`,
  full: `The registry's database has no disk space left. ${OPERATOR}`,
};

const STORAGE: Readonly<Partial<Record<StorageErrorCode, string>>> = {
  unavailable: `The registry cannot reach its storage. ${SOON}`,
  "read-only": `The registry's storage is read-only at the moment. ${SOON}`,
  full: `The registry's storage has no disk space left. ${OPERATOR}`,
};

/** The one place that knows which errors mean that the registry cannot answer now. */
export function unavailability(error: unknown): Unavailable | undefined {
  if (error instanceof DatabaseUnavailableError) {
    return because("database", error.code, DATABASE[error.code]);
  }
  if (error instanceof StorageError) return because("storage", error.code, STORAGE[error.code]);
  if (error instanceof RetiredCertificateError) {
    return because("certificate", "retired", error.message);
  }
  return undefined;
}

/** The same, with a line in the log that says more than clients are told. */
export function describeUnavailable(log: Log): DescribeUnavailable {
  return (error) => {
    const known = unavailability(error);
    if (known) {
      const why = error instanceof Error ? error.message : String(error);
      log.warn({ code: known.code, why }, "answered 503: the registry is unavailable");
    }
    return known;
  };
}

function because(part: string, code: string, text: string | undefined): Unavailable | undefined {
  if (text === undefined) return undefined;
  const retryAfterSeconds = code === "full" ? LATER_SECONDS : SOON_SECONDS;
  return { code: `${part}-${code}`, text, retryAfterSeconds };
}
