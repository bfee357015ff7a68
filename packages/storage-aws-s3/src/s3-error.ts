import { StorageError } from "@sealhouse/storage-providers";
import type { ServiceErrors } from "@sealhouse/storage-providers/remote";

/** Status 0: no answer. `code` is that of S3, such as `SlowDown`, or of a network error. */
type Facts = { readonly status: number; readonly code: string; readonly message: string };

/** The host has no credentials: their source failed. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
  /** Whether the source was away. */
  readonly isPassing: boolean;

  constructor(cause: unknown) {
    super(factsOf(cause).message, { cause });
    const { status, code } = factsOf(cause);
    this.isPassing = status === 0 ? isNetworkCode(code) : status === 429 || status >= 500;
  }
}

/** Whether there is no such object. The answer to a HEAD request has no code. */
export function isMissing(error: unknown): boolean {
  const { status, code } = factsOf(error);
  return status === 404 && /^(?:NoSuchKey|NoSuchObject|NoSuchVersion)?$/.test(code);
}

export function isBucketMissing(error: unknown): boolean {
  return factsOf(error).code === "NoSuchBucket";
}

/** Whether a multipart upload was completed or aborted. */
export function isUploadMissing(error: unknown): boolean {
  return factsOf(error).code === "NoSuchUpload";
}

/** Whether a create-only write met an existing object. */
export function isExisting(error: unknown): boolean {
  return factsOf(error).status === 412;
}

/** Whether the store does not know a header or a request. */
export function isNotImplemented(error: unknown): boolean {
  const { status, code } = factsOf(error);
  return status === 501 || code === "NotImplemented";
}

/** Whether a range begins after the end of the object. */
export function isPastEnd(error: unknown): boolean {
  return factsOf(error).status === 416;
}

/** Codes with the status 400 or 403, which say that the credentials are unusable. */
const REFUSALS = /^(?:ExpiredToken|InvalidToken|InvalidAccessKeyId|TokenRefreshRequired)/;
/** Answered with 400, or with 403 by services that count requests. */
const PASSING = /^(?:RequestTimeout|SlowDown|Throttling|ThrottlingException|TooManyRequests)$/;
/** Another request changes the same object at this moment. */
const CONFLICTS = /^(?:ConditionalRequestConflict|OperationAborted|ConcurrentModification)/;
const QUOTA = /quota|storagefull|insufficient|capacity/i;

/** Whether the service refused the credentials, or there are none that it could refuse. */
export function isRefused(error: unknown): boolean {
  const { status, code, message } = factsOf(error);
  if (error instanceof CredentialsError) return !error.isPassing;
  if (status === 401 || REFUSALS.test(code)) return true;
  return status === 403 && !QUOTA.test(code) && policyOf(code, message) === undefined;
}

/** Returns the region of the bucket when the request went to another; empty when unknown. */
export function otherRegionOf(error: unknown): string | undefined {
  const { status, code, message } = factsOf(error);
  const region = fieldOf(error, "Region") ?? headerOf(error, "x-amz-bucket-region");
  const isOther =
    status === 301 ||
    code === "IllegalLocationConstraintException" ||
    (code === "AuthorizationHeaderMalformed" && /region/i.test(message));
  if (!isOther) return undefined;
  if (typeof region === "string") return region;
  return /expecting '([^']+)'/.exec(message)?.[1] ?? "";
}

/** Values for the messages of errors. */
export type ErrorHints = {
  /** Settings to check when the service refuses the credentials. */
  readonly credentials: string;
  /** Settings to check when the service cannot be reached. */
  readonly address: string;
};

/** Maps errors of the SDK. Messages and causes contain no secret. */
export function s3Errors(hints: ErrorHints): ServiceErrors {
  return {
    isRetryable(error) {
      const { status, code } = factsOf(error);
      if (error instanceof StorageError || error instanceof CredentialsError) return false;
      if (PASSING.test(code) || CONFLICTS.test(code)) return true;
      if (status === 0) return isNetworkCode(code);
      // An answer of 200 that could not be read to its end.
      if (status < 300 || status === 408 || status === 429) return true;
      return status >= 500 && status !== 501 && status !== 507 && !QUOTA.test(code);
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
  const { status, code, message } = factsOf(error);
  const answer = `S3 answered ${status}${code === "" ? "" : ` ${code}`}`;
  // Not the error itself: it has the request with its headers.
  const cause = new Error(message, { cause: code || error.name });
  const storageError = (storageCode: StorageError["code"], reason: string) =>
    new StorageError(storageCode, `cannot ${action}: ${reason}`, { cause });
  if (error instanceof CredentialsError) {
    const reason = `the host gets no credentials; check ${hints.credentials}`;
    return storageError("storage-unavailable", reason);
  }
  if (isMissing(error)) return storageError("storage-not-found", "it is not there");
  if (isBucketMissing(error)) {
    return storageError("storage-unavailable", `${answer}; check Storage__Bucket`);
  }
  if (status === 507 || QUOTA.test(code)) {
    return storageError("storage-full", `${answer}: the bucket or the store has no space left`);
  }
  const policy = policyOf(code, message);
  if (policy) return storageError(policy.code, `${answer}: ${policy.reason}`);
  if (isRefused(error)) {
    return storageError("storage-unavailable", `${answer}; check ${hints.credentials}`);
  }
  if (otherRegionOf(error) !== undefined) {
    return storageError("storage-unavailable", `${answer}; check Storage__Region`);
  }
  if (status > 0) return storageError("storage-unavailable", answer);
  if (!isNetworkCode(code)) return error;
  const reason = `the service cannot be reached (${code}); check ${hints.address}`;
  return storageError("storage-unavailable", reason);
}

type Policy = { readonly code: StorageError["code"]; readonly reason: string };

/** Answers of 403 that correct credentials get, too. */
function policyOf(code: string, message: string): Policy | undefined {
  if (code === "RequestTimeTooSkewed") {
    return { code: "storage-unavailable", reason: "the clock of this machine is wrong" };
  }
  if (code === "InvalidObjectState") {
    const reason = "the object is in an archive class, which a lifecycle rule must not use";
    return { code: "storage-unavailable", reason };
  }
  if (/object lock|retention|WORM/i.test(message)) {
    return { code: "storage-read-only", reason: "an object lock of the bucket forbids it" };
  }
  return undefined;
}

/** Codes of Node's network errors, and of the SDK for a connection that is not made in time. */
function isNetworkCode(code: string): boolean {
  return /^(?:E[A-Z_]+|TimeoutError|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_.*)$/.test(code);
}

function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { status: 0, code: "", message: String(error) };
  const status = fieldOf(fieldOf(error, "$metadata"), "httpStatusCode");
  const [message = ""] = error.message.split("\n");
  if (typeof status === "number") return { status, code: serviceCode(error), message };
  const code = fieldOf(error, "code");
  return { status: 0, code: typeof code === "string" ? code : error.name, message };
}

/** Answers without a body have no code: the SDK gives them its own name. */
function serviceCode({ name }: Error): string {
  return /^(?:Error|NotFound|Unknown.*|\d+)$/.test(name) ? "" : name;
}

function headerOf(error: unknown, name: string): string | undefined {
  const value = fieldOf(fieldOf(fieldOf(error, "$response"), "headers"), name);
  return typeof value === "string" ? value : undefined;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
