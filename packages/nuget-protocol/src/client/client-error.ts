export type NuGetClientErrorCode =
  /** No answer, also after further attempts: the network, a time-out, an overloaded server. */
  | "unreachable"
  /** The feed wants other credentials. */
  | "unauthorized"
  /** A status that the protocol has no meaning for. */
  | "status"
  /** A document that is not what the protocol says. */
  | "malformed"
  | "too-large"
  /** The feed does not offer this resource. */
  | "unsupported"
  /** Plain http where the source is https, or a redirect that leads nowhere. */
  | "refused-address";

/** A feed did not give what it was asked for; the message names the address and the reason. */
export class NuGetClientError extends Error {
  override readonly name = "NuGetClientError";
  readonly code: NuGetClientErrorCode;
  /** Without query, which may hold a secret. */
  readonly url: string;
  readonly status: number | undefined;
  /** What the server asked to wait, when that was longer than this client waits by itself. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: NuGetClientErrorCode,
    about: {
      readonly url: URL;
      readonly reason: string;
      readonly status?: number | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    const url = shownUrl(about.url);
    super(`${url}: ${about.reason}`, { cause: about.cause });
    this.code = code;
    this.url = url;
    this.status = about.status;
    this.retryAfterMs = about.retryAfterMs;
  }
}

/** An address as it may be told: without query and fragment. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
