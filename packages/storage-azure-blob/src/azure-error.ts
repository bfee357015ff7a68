import { StorageError } from "@sealhouse/storage-providers";
import type { ServiceErrors } from "@sealhouse/storage-providers/remote";

/** Values for the messages of errors. */
export type ErrorHints = {
  /** Settings to check when the service refuses the credentials, such as `Storage__AccessKey`. */
  readonly credentials: string;
  /** Settings to check when the service cannot be reached. */
  readonly address: string;
};

/** Status 0: no answer. */
type Facts = { readonly status: number; readonly code: string; readonly message: string };

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
  return {
    isRetryable(error) {
      const { status, code } = factsOf(error);
      if (isWithoutToken(error) || error instanceof StorageError) return false;
      if (status === 0) return isNetworkCode(code);
      return (
        status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 507)
      );
    },
    retryAfterMs(error) {
      const seconds = Number(headerOf(error, "retry-after"));
      return seconds > 0 ? seconds * 1000 : undefined;
    },
    describe: (error, action) => describeError(error, action, hints),
  };
}

function describeError(error: unknown, action: string, hints: ErrorHints): unknown {
  if (error instanceof StorageError || !(error instanceof Error)) return error;
  const facts = factsOf(error);
  const { status, code, message } = facts;
  const answer = `Azure answered ${status}${code === "" ? "" : ` ${code}`}`;
  const cause = new Error(message, { cause: code || error.name });
  const storageError = (storageCode: StorageError["code"], reason: string) =>
    new StorageError(storageCode, `cannot ${action}: ${reason}`, { cause });
  if (isMissing(error)) return storageError("storage-not-found", "it is not there");
  if (isContainerMissing(error)) {
    return storageError("storage-unavailable", `${answer}; check Storage__Container`);
  }
  if (isRefused(error)) {
    const reason = status === 0 ? "the host gets no token" : answer;
    return storageError("storage-unavailable", `${reason}; check ${hints.credentials}`);
  }
  if (status === 507 || /quota|insufficientstorage|capacity/i.test(code)) {
    return storageError("storage-full", `${answer}: the account has no space left`);
  }
  if (/immutable/i.test(code)) {
    return storageError("storage-read-only", `${answer}: a policy of the container forbids it`);
  }
  if (status === 0 && !isNetworkCode(code)) return error;
  const reason = `the service cannot be reached (${code}); check ${hints.address}`;
  return storageError("storage-unavailable", status === 0 ? reason : answer);
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

function factsOf(error: unknown): Facts {
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
  if (!(error instanceof Error) || !("response" in error)) return undefined;
  const { response } = error;
  if (typeof response !== "object" || response === null || !("headers" in response))
    return undefined;
  const { headers } = response;
  if (typeof headers !== "object" || headers === null || !("get" in headers)) return undefined;
  const { get } = headers;
  const value: unknown = typeof get === "function" ? get.call(headers, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
