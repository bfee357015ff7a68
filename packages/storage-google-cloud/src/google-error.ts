import { StorageError } from "@sealhouse/storage-providers";
import type { ServiceErrors } from "@sealhouse/storage-providers/remote";

/** Status 0: no answer. `reason` is Google's own code, such as `rateLimitExceeded`. */
type Facts = {
  readonly status: number;
  readonly reason: string;
  readonly code: string;
  readonly message: string;
};

/** Whether there is no such object. The answer for a missing bucket names the bucket. */
export function isMissing(error: unknown): boolean {
  return factsOf(error).status === 404 && !isBucketMissing(error);
}

export function isBucketMissing(error: unknown): boolean {
  const { status, message } = factsOf(error);
  return status === 404 && /bucket/i.test(message);
}

/** Whether the condition of a create-only write failed: an object has the name. */
export function isExisting(error: unknown): boolean {
  return factsOf(error).status === 412;
}

/** Whether a range begins after the end of the object. */
export function isPastEnd(error: unknown): boolean {
  return factsOf(error).status === 416;
}

/** Whether a resumable upload ended: Google dropped its session. */
export function isSessionLost(error: unknown): boolean {
  const { status } = factsOf(error);
  return status === 404 || status === 410;
}

/** Whether Google refused the credentials, or there are none. */
export function isRefused(error: unknown): boolean {
  const { status, reason, message } = factsOf(error);
  if (status === 401) return true;
  if (status === 403) return !isRateLimit(reason) && !isQuota(reason) && !isProtected(reason);
  return isWithoutToken(status, message);
}

/** Values for the messages of errors. */
export type ErrorHints = {
  /** Settings to check when the service refuses the credentials. */
  readonly credentials: string;
  /** Settings to check when the service cannot be reached; undefined for Google's own address. */
  readonly address: string | undefined;
};

/** Errors of the client. Messages and causes contain no secret. */
export function googleErrors(hints: ErrorHints): ServiceErrors {
  return {
    isRetryable(error) {
      const { status, reason, code, message } = factsOf(error);
      if (error instanceof StorageError || isWithoutToken(status, message)) return false;
      if (status === 0) return isNetworkCode(code);
      if (status === 403) return isRateLimit(reason);
      return status === 408 || status === 429 || status >= 500;
    },
    retryAfterMs(error) {
      const seconds = Number(retryAfter(error));
      return seconds > 0 ? seconds * 1000 : undefined;
    },
    describe: (error, action) => describeError(error, action, hints),
  };
}

function describeError(error: unknown, action: string, hints: ErrorHints): unknown {
  if (error instanceof StorageError || !(error instanceof Error)) return error;
  const { status, reason, code, message } = factsOf(error);
  const answer = `Google answered ${status}${reason === "" ? "" : ` ${reason}`}`;
  // Not the error itself: it has the request with its headers.
  const cause = new Error(message, { cause: code || error.name });
  const storageError = (storageCode: StorageError["code"], words: string) =>
    new StorageError(storageCode, `cannot ${action}: ${words}`, { cause });
  if (isMissing(error)) return storageError("storage-not-found", "it is not there");
  if (isBucketMissing(error)) {
    return storageError("storage-unavailable", `${answer}; check Storage__Bucket`);
  }
  if (isRefused(error)) {
    const words = status === 0 ? "the host gets no token" : answer;
    return storageError("storage-unavailable", `${words}; check ${hints.credentials}`);
  }
  const policy = status === 403 ? policyOf(reason) : undefined;
  if (policy) return storageError(policy.code, `${answer}: ${policy.words}`);
  if (status > 0) return storageError("storage-unavailable", answer);
  if (!isNetworkCode(code)) return error;
  const advice = hints.address === undefined ? "" : `; check ${hints.address}`;
  return storageError("storage-unavailable", `the service cannot be reached (${code})${advice}`);
}

type Policy = { readonly code: StorageError["code"]; readonly words: string };

function policyOf(reason: string): Policy | undefined {
  if (isQuota(reason)) {
    return { code: "storage-full", words: "the project has used up its quota" };
  }
  if (isProtected(reason)) {
    return { code: "storage-read-only", words: "a policy of the bucket forbids it" };
  }
  return undefined;
}

function isRateLimit(reason: string): boolean {
  return /rateLimitExceeded$/i.test(reason);
}

function isQuota(reason: string): boolean {
  return /quotaExceeded$/i.test(reason);
}

function isProtected(reason: string): boolean {
  return /^(?:retentionPolicyNotMet|objectUnderActiveHold)$/.test(reason);
}

/** Errors of the credentials before a request is sent. */
function isWithoutToken(status: number, message: string): boolean {
  return (
    status === 0 &&
    /default credentials|refresh token|invalid_grant|impersonat|unable to .*token/i.test(message)
  );
}

/** Codes of Node's network errors. */
function isNetworkCode(code: string): boolean {
  return /^(?:E[A-Z]+|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_.*)$/.test(code);
}

function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { status: 0, reason: "", code: "", message: String(error) };
  const response = fieldOf(error, "response");
  const status = fieldOf(response, "status") ?? fieldOf(error, "status");
  const detail = fieldOf(parsed(fieldOf(response, "data")), "error");
  const errors = fieldOf(detail, "errors");
  const reason = Array.isArray(errors) ? fieldOf(errors[0], "reason") : undefined;
  const code = codeOf(error);
  const text = fieldOf(detail, "message");
  const [message = ""] = (typeof text === "string" ? text : error.message).split("\n");
  return {
    status: typeof status === "number" ? status : 0,
    reason: typeof reason === "string" ? reason : "",
    code,
    message,
  };
}

/** The client wraps network errors in its own. */
function codeOf(error: Error): string {
  const own = fieldOf(error, "code");
  if (typeof own === "string" && own !== "") return own;
  const inner = fieldOf(error.cause, "code");
  return typeof inner === "string" ? inner : "";
}

/** The bodies of streamed answers come as text. */
function parsed(data: unknown): unknown {
  if (typeof data !== "string" || !data.startsWith("{")) return data;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function retryAfter(error: unknown): string | undefined {
  const headers = fieldOf(fieldOf(error, "response"), "headers");
  return headers instanceof Headers ? (headers.get("retry-after") ?? undefined) : undefined;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
