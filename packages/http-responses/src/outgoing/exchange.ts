import type { CallFailure } from "./call-error.ts";
import type { Watch } from "./watch.ts";
import { createWatch } from "./watch.ts";
import type { Outgoing } from "./outgoing-request.ts";

/** As much of `fetch` as is needed. Redirects come back as they are. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

export type ExchangeOptions = {
  readonly fetch: Fetch;
  /** Headers that hold secrets, for a call to somebody who may see them. */
  readonly secrets: (method: Outgoing["method"]) => Readonly<Record<string, string>>;
  /** Scheme, host and port of everybody who may see secrets. */
  readonly origins: ReadonlySet<string>;
  /** Nothing is asked for over plain http when the source is https. */
  readonly isSecure: boolean;
  readonly userAgent: string;
  /** Nothing happens for so long: the call is given up. */
  readonly idleTimeoutMs: number;
  readonly failure: CallFailure;
};

/** An answer whose body has not been read yet: read it to its end, leave its loop, or cancel. */
export type Answer = {
  /** Where it came from, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: AsyncGenerator<Uint8Array, void, undefined>;
  cancel(): Promise<void>;
};

/** One call, redirects followed, no further attempts.
 * @throws {CallError} `refused-address`; whatever `fetch` throws otherwise */
export type Exchange = (request: Outgoing) => Promise<Answer>;

const REDIRECTS_MAX = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These repeat the method and the body. */
const REPEATING: ReadonlySet<number> = new Set([307, 308]);

/** Calls that carry secrets to their own origins only, also after redirects. */
export function createExchange(options: ExchangeOptions): Exchange {
  return async (request) => {
    const watch = createWatch(request, options.idleTimeoutMs);
    try {
      let { url } = request;
      for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
        checkScheme(url, options);
        const response = await options.fetch(url, initOf({ ...request, url }, options, watch));
        watch.touch();
        const next = redirectOf(request, response, { from: url, ...options });
        if (!next) return answerOf(response, url, watch);
        await response.body?.cancel();
        url = next;
      }
      const reason = `more than ${REDIRECTS_MAX} redirects`;
      throw options.failure("refused-address", { url, reason });
    } catch (error) {
      watch.end();
      throw watch.reasonOf(error);
    }
  };
}

function initOf(request: Outgoing, options: ExchangeOptions, watch: Watch): RequestInit {
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
    // Else Node's fetch tells everybody on the way not to answer 304 to a conditional request.
    ...(request.headers?.["if-none-match"] !== undefined && { cache: "no-cache" as const }),
    signal: watch.signal,
    ...(body && { body: ReadableStream.from(watch.sending(body())), duplex: "half" as const }),
  };
}

function checkScheme(url: URL, { isSecure, failure }: ExchangeOptions): void {
  if (url.protocol === "https:" || (url.protocol === "http:" && !isSecure)) return;
  const reason = isSecure ? "is not https, but its source is" : `is no http address`;
  throw failure("refused-address", { url, reason });
}

/** Undefined when the answer is to be taken as it is. */
function redirectOf(
  { method }: Outgoing,
  response: Response,
  { from, failure }: Pick<ExchangeOptions, "failure"> & { readonly from: URL },
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
  return to ?? undefined;
}

function answerOf(response: Response, url: URL, watch: Watch): Answer {
  const { status, statusText, headers } = response;
  return {
    url,
    status,
    statusText,
    headers,
    body: bodyOf(response, watch),
    async cancel() {
      watch.end();
      await response.body?.cancel().catch(() => undefined);
    },
  };
}

async function* bodyOf(
  response: Response,
  watch: Watch,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (response.body) yield* watch.receiving(response.body);
  } catch (error) {
    throw watch.reasonOf(error);
  } finally {
    watch.end();
  }
}
