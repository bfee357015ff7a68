/** What can be wrong with any call to another server. */
export type CallErrorCode =
  /** No answer, also after further attempts: the network, a time-out, an overloaded server. */
  | "unreachable"
  /** Plain http where the source is https, or a redirect that leads nowhere. */
  | "refused-address"
  /** The server wants other credentials. */
  | "unauthorized"
  /** A status that the protocol has no meaning for, or a refusal. */
  | "status"
  /** A document that is not what its protocol says. */
  | "malformed"
  | "too-large";

export type CallErrorDetail = {
  readonly url: URL;
  readonly reason: string;
  readonly status?: number | undefined;
  /** What the server asked to wait, when that was longer than a client waits by itself. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

/** Another server did not give what it was asked for; the message names the address and the
 * reason. Each protocol's client has a class of its own below this one. */
export class CallError<Code extends string = string> extends Error {
  readonly code: Code | CallErrorCode;
  /** Without query, which may hold a secret. */
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

/** Makes the error of the client that calls. */
export type CallFailure = (code: CallErrorCode, detail: CallErrorDetail) => CallError;

/** An address as it may be told: without query and fragment. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
