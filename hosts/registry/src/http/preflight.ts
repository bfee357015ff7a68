const DAY_SECONDS = 24 * 60 * 60;

/** What readers send beside the headers that need no permission. Never one that carries a token,
 * and never a forwarded header, which a page on the proxy's own machine could make count. */
const HEADERS = [
  "accept",
  "cache-control",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "range",
  "symbolchecksum",
].join(", ");

/**
 * The answer to `OPTIONS` where packages are read. Whether a page of another origin gets to see an
 * answer is up to `access-control-allow-origin`, which is a standing header.
 */
export function answerOptions(request: Request): Response {
  const headers = { allow: "GET, HEAD, OPTIONS", "content-length": "0" };
  if (!request.headers.has("access-control-request-method")) {
    return new Response(null, { status: 204, headers });
  }
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": HEADERS,
      "access-control-max-age": String(DAY_SECONDS),
      vary: "Access-Control-Request-Method",
    },
  });
}
