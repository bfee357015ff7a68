import { retryAfterMs } from "@sealhouse/http-responses/outgoing";
import type { Fetch } from "@sealhouse/http-responses/outgoing";

/** Time until the status of an answer. */
const TIMEOUT_MS = 15_000;
/** The part of an answer's body that is read. */
const ANSWER_BYTES_MAX = 4 * 1024;
const ANSWER_MS_MAX = 1_000;
const ERROR_LENGTH_MAX = 300;
const PASSING_WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The answer of a receiver. */
export type PostAnswer =
  | { readonly outcome: "delivered"; readonly status: number; readonly durationMs: number }
  /** 410: the receiver wants no further events. */
  | { readonly outcome: "gone"; readonly status: number; readonly durationMs: number }
  | {
      readonly outcome: "failed";
      readonly status?: number;
      readonly error: string;
      readonly retryAfterMs?: number;
      readonly durationMs: number;
    };

/** A message on its way to a receiver. */
export type Post = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Options of `postWebhook`. */
export type PostOptions = {
  /** Checks the address on each connection, and follows no redirects. */
  readonly fetch: Fetch;
  readonly userAgent: string;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
  /** Milliseconds; default 15 s. */
  readonly timeoutMs?: number;
};

/**
 * Makes one attempt. Any 2xx status delivers the message, a redirect does not. Never throws.
 */
export async function postWebhook(post: Post, options: PostOptions): Promise<PostAnswer> {
  const { fetch, userAgent, now, timeoutMs = TIMEOUT_MS } = options;
  const start = performance.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  const durationMs = () => Math.round(performance.now() - start);
  try {
    const response = await fetch(new URL(post.url), {
      method: "POST",
      headers: { ...post.headers, "user-agent": userAgent },
      body: post.body,
      redirect: "manual",
      signal,
    });
    await readSome(response);
    const { status, headers } = response;
    if (status >= 200 && status < 300) {
      return { outcome: "delivered", status, durationMs: durationMs() };
    }
    if (status === 410) return { outcome: "gone", status, durationMs: durationMs() };
    const wait = PASSING_WITH_RETRY_AFTER.has(status) ? retryAfterMs(headers, now()) : undefined;
    return {
      outcome: "failed",
      status,
      error: errorOf(status),
      ...(wait !== undefined && { retryAfterMs: wait }),
      durationMs: durationMs(),
    };
  } catch (error) {
    const text = timeout.aborted ? `no answer within ${timeoutMs} ms` : textOf(error);
    return { outcome: "failed", error: text, durationMs: durationMs() };
  }
}

/** The status is the answer. A short body is read, so that the connection can be used again; one
 * that drips or never ends is left. */
async function readSome({ body }: Response): Promise<void> {
  if (!body) return;
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(leave, ANSWER_MS_MAX);
  try {
    for (let size = 0; size < ANSWER_BYTES_MAX;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
  } catch {
    // The connection ended after the status, which counts.
  } finally {
    clearTimeout(timer);
    leave();
  }
}

function errorOf(status: number): string {
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`;
  return `answered ${status}`;
}

/** Includes the cause, because `fetch` reports the actual failure only there. */
function textOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
  const codes = error instanceof AggregateError ? ` ${String(Reflect.get(error, "code"))}` : "";
  return `${message}${codes}${reason}`.trim().slice(0, ERROR_LENGTH_MAX);
}
