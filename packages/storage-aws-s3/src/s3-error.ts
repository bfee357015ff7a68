import type { StorageError } from "@sealhouse/storage-providers";
import { fieldOf, serviceErrors } from "@sealhouse/storage-providers/remote";
import type { ErrorFacts, ErrorHints, ServiceErrors } from "@sealhouse/storage-providers/remote";

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

/** Maps errors of the SDK. Messages and causes contain no secret. */
export function s3Errors(hints: ErrorHints): ServiceErrors {
  return serviceErrors(hints, {
    factsOf,
    isNetworkCode,
    isRetryable(error, { status, code }) {
      if (error instanceof CredentialsError) return false;
      if (PASSING.test(code) || CONFLICTS.test(code)) return true;
      if (status === 0) return isNetworkCode(code);
      // An answer of 200 that could not be read to its end.
      if (status < 300 || status === 408 || status === 429) return true;
      return status >= 500 && status !== 501 && status !== 507 && !QUOTA.test(code);
    },
    headerOf,
    answerOf,
    reasonOf: (error, facts) => reasonOf(error, facts, hints),
  });
}

function answerOf({ status, code }: ErrorFacts): string {
  return `S3 answered ${status}${code === "" ? "" : ` ${code}`}`;
}

function reasonOf(error: Error, facts: ErrorFacts, hints: ErrorHints): Reason | undefined {
  const { status, code, message } = facts;
  const answer = answerOf(facts);
  const unavailable = (reason: string): Reason => ({ code: "storage-unavailable", reason });
  if (error instanceof CredentialsError) {
    return unavailable(`the host gets no credentials; check ${hints.credentials}`);
  }
  if (isMissing(error)) return { code: "storage-not-found", reason: "it is not there" };
  if (isBucketMissing(error)) return unavailable(`${answer}; check Storage__Bucket`);
  if (status === 507 || QUOTA.test(code)) {
    const reason = `${answer}: the bucket or the store has no space left`;
    return { code: "storage-full", reason };
  }
  const policy = policyOf(code, message);
  if (policy) return { code: policy.code, reason: `${answer}: ${policy.reason}` };
  if (isRefused(error)) return unavailable(`${answer}; check ${hints.credentials}`);
  if (otherRegionOf(error) !== undefined) return unavailable(`${answer}; check Storage__Region`);
  return undefined;
}

type Reason = { readonly code: StorageError["code"]; readonly reason: string };

/** Answers of 403 that correct credentials get, too. */
function policyOf(code: string, message: string): Reason | undefined {
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

/** `code` is that of S3, such as `SlowDown`, or of a network error. */
function factsOf(error: unknown): ErrorFacts {
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
