import { StorageError } from "../storage-error.ts";
import type { ServiceErrors } from "./service-calls.ts";

/** Values for the messages of errors. */
export type ErrorHints = {
  /** Settings to check when the service refuses the credentials, such as `Storage__AccessKey`. */
  readonly credentials: string;
  /** Settings to check when the service cannot be reached; undefined for its usual address. */
  readonly address: string | undefined;
};

/** Facts of an error of a service. Status 0: no answer. Code and message contain no secret. */
export type ErrorFacts = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
};

/** Rules by which a service reports errors. */
export type ErrorRules<Facts extends ErrorFacts> = {
  readonly factsOf: (error: unknown) => Facts;
  /** Whether a code is that of a connection that failed. */
  readonly isNetworkCode: (code: string) => boolean;
  /** Whether another attempt may succeed, of an error that is not ours. */
  readonly isRetryable: (error: unknown, facts: Facts) => boolean;
  readonly headerOf: (error: unknown, name: "retry-after") => string | undefined;
  /** Undefined where the answer alone explains the error. */
  readonly reasonOf: (
    error: Error,
    facts: Facts,
  ) => { readonly code: StorageError["code"]; readonly reason: string } | undefined;
  /** The answer in words, such as `S3 answered 403 AccessDenied`. */
  readonly answerOf: (facts: Facts) => string;
};

/** Maps the errors of a service. Messages and causes contain no secret. */
export function serviceErrors<Facts extends ErrorFacts>(
  { address }: Pick<ErrorHints, "address">,
  rules: ErrorRules<Facts>,
): ServiceErrors {
  const { factsOf, isNetworkCode } = rules;
  return {
    isRetryable(error) {
      return !(error instanceof StorageError) && rules.isRetryable(error, factsOf(error));
    },
    retryAfterMs(error) {
      const seconds = Number(rules.headerOf(error, "retry-after"));
      return seconds > 0 ? seconds * 1000 : undefined;
    },
    describe(error, action) {
      if (error instanceof StorageError || !(error instanceof Error)) return error;
      const facts = factsOf(error);
      const { status, code, message } = facts;
      const found = rules.reasonOf(error, facts);
      if (!found && status === 0 && !isNetworkCode(code)) return error;
      const advice = address === undefined ? "" : `; check ${address}`;
      const unreachable = `the service cannot be reached (${code})${advice}`;
      const reason = found?.reason ?? (status > 0 ? rules.answerOf(facts) : unreachable);
      // Not the error itself: it has the request with its headers.
      const cause = new Error(message, { cause: code || error.name });
      const text = `cannot ${action}: ${reason}`;
      return new StorageError(found?.code ?? "storage-unavailable", text, { cause });
    },
  };
}

/** Returns a field of a value that may not be an object. */
export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
