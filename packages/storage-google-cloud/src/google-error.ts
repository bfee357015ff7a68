import type { StorageError } from "@sealhouse/storage-providers";
import { fieldOf, serviceErrors } from "@sealhouse/storage-providers/remote";
import type { ErrorFacts, ErrorHints, ServiceErrors } from "@sealhouse/storage-providers/remote";

/** `reason` is Google's own code, such as `rateLimitExceeded`. */
type Facts = ErrorFacts & { readonly reason: string };

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

/** Errors of the client. Messages and causes contain no secret. */
export function googleErrors(hints: ErrorHints): ServiceErrors {
  return serviceErrors(hints, {
    factsOf,
    isNetworkCode,
    isRetryable(_error, { status, reason, code, message }) {
      if (isWithoutToken(status, message)) return false;
      if (status === 0) return isNetworkCode(code);
      if (status === 403) return isRateLimit(reason);
      return status === 408 || status === 429 || status >= 500;
    },
    headerOf,
    answerOf,
    reasonOf: (error, facts) => reasonOf(error, facts, hints),
  });
}

function answerOf({ status, reason }: Facts): string {
  return `Google answered ${status}${reason === "" ? "" : ` ${reason}`}`;
}

function reasonOf(error: Error, facts: Facts, { credentials }: ErrorHints): Reason | undefined {
  const { status } = facts;
  const answer = answerOf(facts);
  if (isMissing(error)) return { code: "storage-not-found", reason: "it is not there" };
  if (isBucketMissing(error)) {
    return { code: "storage-unavailable", reason: `${answer}; check Storage__Bucket` };
  }
  if (isRefused(error)) {
    const refusal = status === 0 ? "the host gets no token" : answer;
    return { code: "storage-unavailable", reason: `${refusal}; check ${credentials}` };
  }
  const policy = status === 403 ? policyOf(facts.reason) : undefined;
  return policy && { code: policy.code, reason: `${answer}: ${policy.reason}` };
}

type Reason = { readonly code: StorageError["code"]; readonly reason: string };

function policyOf(reason: string): Reason | undefined {
  if (isQuota(reason)) {
    return { code: "storage-full", reason: "the project has used up its quota" };
  }
  if (isProtected(reason)) {
    return { code: "storage-read-only", reason: "a policy of the bucket forbids it" };
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

function headerOf(error: unknown, name: string): string | undefined {
  const headers = fieldOf(fieldOf(error, "response"), "headers");
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : undefined;
}
