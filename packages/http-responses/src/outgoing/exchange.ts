import type { CallFailure } from "./call-error.ts";
import type { CallTimeouts } from "./call-timeouts.ts";
import { createCallTimeouts } from "./call-timeouts.ts";
import type { Outgoing } from "./outgoing-request.ts";

/** The subset of `fetch` that calls need. Returns redirects instead of following them. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

export type ExchangeOptions = {
  readonly fetch: Fetch;
  /** Secret headers of a call to one of `origins`. */
  readonly secrets: (method: Outgoing["method"]) => Readonly<Record<string, string>>;
  /** Origins (scheme, host and port) that may receive the secret headers. */
  readonly origins: ReadonlySet<string>;
  /** Whether the source is https; plain http addresses are then refused. */
  readonly isSecure: boolean;
  readonly userAgent: string;
  /** Aborts a call after this time without activity. */
  readonly idleTimeoutMs: number;
  readonly failure: CallFailure;
};

/** An answer with an unread body. Read the body to its end, leave its loop early, or cancel. */
export type Answer = {
  /** Final address, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: AsyncGenerator<Uint8Array, void, undefined>;
  cancel(): Promise<void>;
};

/** Makes one call and follows redirects. Does not retry.
 * @throws {CallError} `refused-address`; otherwise the error of `fetch` */
export type Exchange = (request: Outgoing) => Promise<Answer>;

const REDIRECTS_MAX = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These repeat the method and the body. */
const REPEATING: ReadonlySet<number> = new Set([307, 308]);

/** Creates an exchange that sends secrets only to `origins`, even after redirects. */
export function createExchange(options: ExchangeOptions): Exchange {
  return async (request) => {
    const timeouts = createCallTimeouts(request, options.idleTimeoutMs);
    try {
      let { url } = request;
      for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
        checkScheme(url, options);
        const response = await options.fetch(url, initOf({ ...request, url }, options, timeouts));
        timeouts.touch();
        const next = redirectOf(request, response, { from: url, ...options });
        if (!next) return answerOf(response, url, timeouts);
        await response.body?.cancel();
        url = next;
      }
      const reason = `more than ${REDIRECTS_MAX} redirects`;
      throw options.failure("refused-address", { url, reason });
    } catch (error) {
      timeouts.end();
      throw timeouts.reasonOf(error);
    }
  };
}

function initOf(request: Outgoing, options: ExchangeOptions, timeouts: CallTimeouts): RequestInit {
  const { method, body, url } = request;
  const headers = {
    "user-agent": options.userAgent,
    ...request.headers,
    ...(options.origins.has(url.origin) && options.secrets(method)),
  };
  return {
    method,
    headers,
    redirect: "manual",
    // Otherwise Node's fetch adds headers that forbid caches to answer 304.
    ...(request.headers?.["if-none-match"] !== undefined && { cache: "no-cache" as const }),
    signal: timeouts.signal,
    ...(body && { body: ReadableStream.from(timeouts.sending(body())), duplex: "half" as const }),
  };
}

function checkScheme(url: URL, { isSecure, failure }: ExchangeOptions): void {
  if (url.protocol === "https:" || (url.protocol === "http:" && !isSecure)) return;
  const reason = isSecure ? "is not https, but its source is" : `is not an http address`;
  throw failure("refused-address", { url, reason });
}

/** Returns the target of a redirect; undefined if the answer is final. */
function redirectOf(
  { method }: Outgoing,
  response: Response,
  { from, origins, failure }: Pick<ExchangeOptions, "failure" | "origins"> & { readonly from: URL },
): URL | undefined {
  const { status } = response;
  const isRead = method === "GET" || method === "HEAD";
  if (!REDIRECTS.has(status) || (!isRead && !REPEATING.has(status))) return undefined;
  const location = response.headers.get("location");
  const to = location === null ? null : URL.parse(location, from.href);
  if (to && (to.username !== "" || to.password !== "")) {
    const reason = "redirects to an address with credentials in it";
    throw failure("refused-address", { url: from, reason });
  }
  if (to && !isRead && !isNear(from, to) && !origins.has(to.origin)) {
    const reason = `redirects what it was sent to another server, ${to.origin}`;
    throw failure("refused-address", { url: from, reason });
  }
  return to ?? undefined;
}

/** The same server, or its https address. */
function isNear(from: URL, to: URL): boolean {
  return to.origin === from.origin || (to.hostname === from.hostname && to.protocol === "https:");
}

function answerOf(response: Response, url: URL, timeouts: CallTimeouts): Answer {
  const { status, statusText, headers } = response;
  return {
    url,
    status,
    statusText,
    headers,
    body: bodyOf(response, timeouts),
    async cancel() {
      timeouts.end();
      await response.body?.cancel().catch(() => undefined);
    },
  };
}

async function* bodyOf(
  response: Response,
  timeouts: CallTimeouts,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (response.body) yield* timeouts.receiving(response.body);
  } catch (error) {
    throw timeouts.reasonOf(error);
  } finally {
    timeouts.end();
  }
}
