import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { OciError } from "./errors.ts";

type Headers = Readonly<Record<string, string>>;

/** Some old tools require this header on every response. */
export const VERSION_HEADERS = { "docker-distribution-api-version": "registry/2.0" } as const;

/** Sends a response without a body. Without the explicit length, Node would send it chunked. */
export function sendNothing(c: Context, status: 201 | 202, headers: Headers): Response {
  return c.body(null, status, { ...VERSION_HEADERS, ...headers, "content-length": "0" });
}

/** Sends a 204, which must not have a `Content-Length` (RFC 9110 section 8.6). */
export function sendNoContent(c: Context, headers: Headers): Response {
  return c.body(null, 204, { ...VERSION_HEADERS, ...headers });
}

export function sendJson(
  c: Context,
  value: unknown,
  options: { readonly headers?: Headers; readonly status?: ContentfulStatusCode } = {},
): Response {
  const text = JSON.stringify(value);
  // Set here, because Hono derives HEAD from GET and would drop the length with the body.
  return c.body(text, options.status ?? 200, {
    ...VERSION_HEADERS,
    "content-type": "application/json",
    ...options.headers,
    "content-length": String(Buffer.byteLength(text)),
  });
}

export function sendError(c: Context, error: OciError): Response {
  return sendJson(c, error.toJSON(), { status: error.status, headers: error.headers });
}

export function methodNotAllowed(c: Context, allowed: string): OciError {
  const message = `${c.req.method} is not supported here; ${allowed} are`;
  return new OciError("UNSUPPORTED", { message, headers: { allow: allowed } });
}

/** Returns the header `Link: <…>; rel="next"` (RFC 8288) with a relative URL. */
export function nextLink(path: string, limit: number, last: string): Headers {
  return { link: `<${path}?n=${limit}&last=${encodeURIComponent(last)}>; rel="next"` };
}
