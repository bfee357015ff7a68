/** Reason why a call to another server failed. */
export type CallErrorCode =
  /** No answer after all attempts: network failure, timeout or overloaded server. */
  | "unreachable"
  /** Plain http although the source is https, or a redirect that must not be followed. */
  | "refused-address"
  /** The server rejects the credentials. */
  | "unauthorized"
  /** A refusal, or a status that the protocol does not define. */
  | "status"
  /** A document that does not follow its protocol. */
  | "malformed"
  | "too-large";

export type CallErrorDetail = {
  readonly url: URL;
  readonly reason: string;
  readonly status?: number | undefined;
  /** Delay that the server requested, if it is longer than the maximum between two attempts. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

/** A call to another server failed. The message contains the address and the reason. Each protocol
 * client has its own subclass. */
export class CallError<Code extends string = string> extends Error {
  readonly code: Code | CallErrorCode;
  /** Address without the query, which may contain a secret. */
  readonly url: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: Code | CallErrorCode, detail: CallErrorDetail) {
    const url = shownUrl(detail.url);
    super(`${url}: ${detail.reason}`, { cause: detail.cause });
    this.code = code;
    this.url = url;
    this.status = detail.status;
    this.retryAfterMs = detail.retryAfterMs;
  }
}

/** Whether an error is a failed call of any client. */
export function isCallError(error: unknown): error is CallError {
  return error instanceof CallError;
}

/** Creates the error class of the calling client. */
export type CallFailure = (code: CallErrorCode, detail: CallErrorDetail) => CallError;

/** Returns an address that is safe to log: without query and fragment. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
