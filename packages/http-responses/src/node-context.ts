import { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { BodyPace } from "./body-pace.ts";

export type NodePair = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Undefined: bodies may come as slowly as they like. */
  readonly bodyPace?: BodyPace | undefined;
};

/** The Node request and response below a Hono context; undefined in `app.request()`, over HTTP/2,
 * and on servers other than `@hono/node-server`. */
export function nodeOf(c: Context): NodePair | undefined {
  const env: unknown = c.env;
  if (typeof env !== "object" || env === null) return undefined;
  if (!("incoming" in env && "outgoing" in env)) return undefined;
  const { incoming, outgoing } = env;
  if (!(incoming instanceof IncomingMessage && outgoing instanceof ServerResponse))
    return undefined;
  return { incoming, outgoing, bodyPace: "bodyPace" in env ? paceOf(env.bodyPace) : undefined };
}

/** As the host put it beside `incoming`. */
function paceOf(value: unknown): BodyPace | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!("bytesPerSecond" in value && "windowMs" in value)) return undefined;
  const { bytesPerSecond, windowMs } = value;
  if (typeof bytesPerSecond !== "number" || typeof windowMs !== "number") return undefined;
  return { bytesPerSecond, windowMs };
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

const SENT_MARK = { "x-hono-already-sent": "true" };

let sent: Response | undefined;
let sentOf: typeof Response | undefined;

/**
 * Tells `@hono/node-server` that the answer is out already. Not the server's own
 * `RESPONSE_ALREADY_SENT`: whenever Hono wraps that one (a HEAD request, a header set after the
 * handler), the server no longer sees the mark, writes a second head and fails. A light-weight
 * Response of the server whose body was asked for once keeps the mark when it is wrapped.
 */
export function alreadySent(): Response {
  // The server puts its own Response in the place of the global one when it starts.
  if (sent && sentOf === Response) return sent;
  const made = new Response(null, { headers: SENT_MARK });
  if (made.body !== null) throw new Error("a response without a body has one");
  // One for all requests, so what middleware sets on its headers must not pile up.
  Object.defineProperty(made, "headers", { get: () => new Headers(SENT_MARK) });
  sent = made;
  sentOf = Response;
  return made;
}
