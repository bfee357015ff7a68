import { fieldOf, serviceErrors } from "@sealhouse/storage-providers/remote";
import type { ErrorFacts, ErrorHints, ServiceErrors } from "@sealhouse/storage-providers/remote";

/** Whether the service has no such blob. The answer to a HEAD request has no code. */
export function isMissing(error: unknown): boolean {
  const { status, code } = factsOf(error);
  return status === 404 && code !== "ContainerNotFound";
}

/** Whether a create-only write met an existing blob. */
export function isExisting(error: unknown): boolean {
  const { status, code } = factsOf(error);
  return (
    (status === 409 && code === "BlobAlreadyExists") ||
    (status === 412 && code !== "LeaseIdMissing")
  );
}

/** Whether a range begins after the end of the blob. */
export function isPastEnd(error: unknown): boolean {
  return factsOf(error).status === 416;
}

/** Whether blocks to commit are no longer there, because another write replaced the blob. */
export function isSuperseded(error: unknown): boolean {
  return factsOf(error).code === "InvalidBlockList";
}

export function isContainerMissing(error: unknown): boolean {
  return factsOf(error).code === "ContainerNotFound";
}

/** Whether the service refused the credentials, or there are none. */
export function isRefused(error: unknown): boolean {
  const { status } = factsOf(error);
  return status === 401 || status === 403 || isWithoutToken(error);
}

/** Maps errors of the SDK. Messages and causes contain no secret. */
export function azureErrors(hints: ErrorHints): ServiceErrors {
  return serviceErrors(hints, {
    factsOf,
    isNetworkCode,
    isRetryable(error, { status, code }) {
      if (isWithoutToken(error)) return false;
      if (status === 0) return isNetworkCode(code);
      return (
        status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 507)
      );
    },
    headerOf,
    answerOf,
    reasonOf: (error, facts) => reasonOf(error, facts, hints),
  });
}

function answerOf({ status, code }: ErrorFacts): string {
  return `Azure answered ${status}${code === "" ? "" : ` ${code}`}`;
}

function reasonOf(error: Error, facts: ErrorFacts, { credentials }: ErrorHints) {
  const { status, code } = facts;
  const answer = answerOf(facts);
  if (isMissing(error)) return { code: "storage-not-found", reason: "it is not there" } as const;
  if (isContainerMissing(error)) {
    return { code: "storage-unavailable", reason: `${answer}; check Storage__Container` } as const;
  }
  if (isRefused(error)) {
    const refusal = status === 0 ? "the host gets no token" : answer;
    return { code: "storage-unavailable", reason: `${refusal}; check ${credentials}` } as const;
  }
  if (status === 507 || /quota|insufficientstorage|capacity/i.test(code)) {
    return { code: "storage-full", reason: `${answer}: the account has no space left` } as const;
  }
  if (!/immutable/i.test(code)) return undefined;
  const reason = `${answer}: a policy of the container forbids it`;
  return { code: "storage-read-only", reason } as const;
}

function isWithoutToken(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Aggregate)?Authentication(?:Required)?Error$|^CredentialUnavailableError$/.test(error.name)
  );
}

/** Codes of Node's network errors, and of the SDK for a request without an answer. */
function isNetworkCode(code: string): boolean {
  return /^(?:E[A-Z]+|REQUEST_SEND_ERROR|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_.*)$/.test(code);
}

function factsOf(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { status: 0, code: "", message: String(error) };
  const status =
    "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 0;
  const own = "code" in error && typeof error.code === "string" ? error.code : "";
  const code =
    own === "" || own === "REQUEST_SEND_ERROR" ? (headerOf(error, "x-ms-error-code") ?? own) : own;
  const [message = ""] = error.message.split("\n");
  return { status, code, message };
}

function headerOf(error: unknown, name: string): string | undefined {
  const headers = fieldOf(fieldOf(error, "response"), "headers");
  const get = fieldOf(headers, "get");
  const value: unknown = typeof get === "function" ? get.call(headers, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
