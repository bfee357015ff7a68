import { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";

export type NodePair = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/** The Node request and response below a Hono context; undefined in `app.request()`, over HTTP/2,
 * and on servers other than `@hono/node-server`. */
export function nodeOf(c: Context): NodePair | undefined {
  const env: unknown = c.env;
  if (typeof env !== "object" || env === null) return undefined;
  if (!("incoming" in env && "outgoing" in env)) return undefined;
  const { incoming, outgoing } = env;
  if (!(incoming instanceof IncomingMessage && outgoing instanceof ServerResponse))
    return undefined;
  return { incoming, outgoing };
}

/** What earlier middleware put on the context (`c.header("x-request-id", …)`), with `own` on top:
 * an answer that is written straight to the socket must carry it too. Names in lower case. */
export function withContextHeaders(
  c: Context,
  own: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const merged: Record<string, string | string[]> = {};
  const { headers } = c.body(null);
  for (const [name, value] of headers) {
    if (name !== "set-cookie") merged[name] = value;
  }
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) merged["set-cookie"] = cookies;
  const { vary } = merged;
  Object.assign(merged, own);
  if (typeof vary === "string" && own["vary"] !== undefined) {
    merged["vary"] = `${vary}, ${own["vary"]}`;
  }
  return merged;
}

/**
 * Tells `@hono/node-server` that the answer is out already. Made anew each time, and its body asked
 * for once, instead of taking the server's `RESPONSE_ALREADY_SENT`: whenever Hono wraps that one
 * (a HEAD request, a header set after the handler), the server forgets the mark, writes a second
 * head and fails.
 */
export function alreadySent(): Response {
  const sent = new Response(null, { headers: { "x-hono-already-sent": "true" } });
  // The server's light-weight Response becomes a real one here; copies of a real one keep the mark.
  return sent.body === null ? sent : new Response(null);
}
