import type { Credentials } from "../../client/authenticator.ts";
import { createAuthenticator } from "../../client/authenticator.ts";
import { failure } from "../../client/client-error.ts";
import { createExchange } from "@sealhouse/http-responses/outgoing";
import { rawPathOf } from "@sealhouse/http-responses";
import { parseRoute } from "../../route.ts";
import type { Send } from "./conversation.ts";

export type SendOptions = {
  readonly registry: URL;
  /** Absent: the registry gives it to everyone. */
  readonly credentials?: Credentials;
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 60_000;

/** Without credentials and without asking for any. */
export function sendPlainly(options: SendOptions): Send {
  const { registry, fetch: call = fetch, timeoutMs = TIMEOUT_MS } = options;
  return (path, init) => {
    // A path with parts that a URL parser would normalise.
    const url = new URL(registry.origin + path);
    return answeredWithin(timeoutMs, (signal) =>
      call(url, { redirect: "manual", signal, ...init }),
    );
  };
}

/** Until the headers are there; the body has the time of its case. */
async function answeredWithin(
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const controller = new AbortController();
  const late = new Error(`no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  try {
    return await ask(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** As a client that does whatever the registry's challenge wants; a request that brings its own
 * `Authorization` keeps it. */
export function sendAs(options: SendOptions): Send {
  const plain = sendPlainly(options);
  const { registry, credentials, fetch: call = fetch, timeoutMs = TIMEOUT_MS } = options;
  const authenticator = createAuthenticator({
    registry,
    credentials,
    timeoutMs,
    now: () => new Date(),
    send: (request, authorization) =>
      createExchange({
        fetch: call,
        secrets: () => ({ ...(authorization !== undefined && { authorization }) }),
        origins: new Set([request.url.origin]),
        isSecure: false,
        userAgent: "sealhouse-conformance",
        idleTimeoutMs: timeoutMs,
        failure,
      })(request),
  });
  let letIn: Promise<void> | undefined;
  return async (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (headers.has("authorization")) return plain(path, init);
    // Before a body that cannot be sent twice.
    letIn ??= knock(plain, authenticator);
    await letIn;
    const scopes = scopesOf(path);
    const attempt = async () => {
      const secret = await authenticator.header(scopes);
      if (secret !== undefined) headers.set("authorization", secret);
      return plain(path, { ...init, headers });
    };
    const answer = await attempt();
    const mayRepeat = !(init.body instanceof ReadableStream);
    if (answer.status !== 401 || !mayRepeat || !authenticator.learn(answer, scopes)) return answer;
    await answer.body?.cancel();
    return attempt();
  };
}

/** Public content is read as `reader`, all other requests use `writer`. */
export function sendReadsAs(reader: Send, writer: Send): Send {
  return (path, init) => {
    const { method = "GET" } = init ?? {};
    const isRead = method === "GET" || method === "HEAD";
    const isPublic = isRead && /\/(?:manifests|blobs|tags|referrers)\/(?!uploads)/.test(path);
    return (isPublic ? reader : writer)(path, init);
  };
}

async function knock(plain: Send, authenticator: ReturnType<typeof createAuthenticator>) {
  const answer = await plain("/v2/");
  if (answer.status === 401) authenticator.learn(answer, []);
  await answer.body?.cancel();
}

/** All an owner may do: what is refused then is the registry's word, not the token's. */
function scopesOf(path: string): readonly string[] {
  if (path.startsWith("/v2/_catalog")) return ["registry:catalog:*"];
  try {
    const { href, searchParams } = new URL(path, "http://registry.invalid");
    const route = parseRoute(rawPathOf(href));
    if (!route || !("name" in route)) return [];
    const source = searchParams.get("from");
    const own = `repository:${route.name}:pull,push,delete`;
    return source === null ? [own] : [own, `repository:${source}:pull`];
  } catch {
    return [];
  }
}
