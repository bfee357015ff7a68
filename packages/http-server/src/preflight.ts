const DAY_SECONDS = 24 * 60 * 60;

/** Request headers that pages may add to reads. Never a header that carries a token, and never a
 * forwarded header: the host believes those of a proxy on the same machine as the browser. */
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
 * Answers `OPTIONS` on the paths of a package protocol. The header `access-control-allow-origin`,
 * which decides whether a page may read the answer, is a default header of every answer.
 */
export function answerOptions(request: Request): Response {
  if (!request.headers.has("access-control-request-method")) {
    return new Response(null, { status: 204 });
  }
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": HEADERS,
      "access-control-max-age": String(DAY_SECONDS),
      vary: "Access-Control-Request-Method",
    },
  });
}
