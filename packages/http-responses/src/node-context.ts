import { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { BodyPace } from "./body-pace.ts";

export type NodePair = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Undefined: there is no minimum rate for bodies. */
  readonly bodyPace?: BodyPace | undefined;
};

/** Returns the Node request and response of a Hono context; undefined in `app.request()`, over
 * HTTP/2, and on servers other than `@hono/node-server`. */
export function nodeOf(c: Context): NodePair | undefined {
  const env: unknown = c.env;
  if (typeof env !== "object" || env === null) return undefined;
  if (!("incoming" in env && "outgoing" in env)) return undefined;
  const { incoming, outgoing } = env;
  if (!(incoming instanceof IncomingMessage && outgoing instanceof ServerResponse))
    return undefined;
  return { incoming, outgoing, bodyPace: "bodyPace" in env ? paceOf(env.bodyPace) : undefined };
}

/** Reads the value that the host puts in the environment next to `incoming`. */
function paceOf(value: unknown): BodyPace | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!("bytesPerSecond" in value && "windowMs" in value)) return undefined;
  const { bytesPerSecond, windowMs } = value;
  if (typeof bytesPerSecond !== "number" || typeof windowMs !== "number") return undefined;
  return { bytesPerSecond, windowMs };
}

/** Merges the headers that earlier middleware set on the context (`c.header("x-request-id", …)`)
 * with `own`, which takes precedence. A response written directly to the socket needs them too.
 * Names are in lower case. */
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
 * Returns a response that makes `@hono/node-server` send nothing, because the response is already
 * sent. The server's own `RESPONSE_ALREADY_SENT` does not work here. Hono wraps it for a HEAD
 * request or a header set after the handler; the server then misses the mark, writes a second head
 * and fails. A light-weight Response whose body was read once keeps the mark when it is wrapped.
 */
export function alreadySent(): Response {
  // The server replaces the global Response with its own when it starts.
  if (sent && sentOf === Response) return sent;
  const made = new Response(null, { headers: SENT_MARK });
  if (made.body !== null) throw new Error("a response without a body has one");
  // All requests share this object, so headers that middleware sets must not accumulate.
  Object.defineProperty(made, "headers", { get: () => new Headers(SENT_MARK) });
  sent = made;
  sentOf = Response;
  return made;
}
