/** Suffixes that proxies append to an entity tag when they compress the response. */
const MANGLED = /(?:--?|;)(?:gzip|zstd|br|deflate)$/;
const LISTED = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;

/**
 * Returns true if an `If-None-Match` header contains `etag` (given without quotes). Compares
 * weakly: RFC 9110 section 13.1.2. Proxies that compress responses change `"x"` to `"x-gzip"`
 * (Apache), `"x--gzip"` (Jetty) or `W/"x"` (nginx); all of them match `x`, and so does a tag
 * without quotes.
 */
export function namesEtag(header: string, etag: string): boolean {
  if (header === `"${etag}"`) return true;
  if (header.trim() === "*") return true;
  for (const [, quoted, bare] of header.matchAll(LISTED)) {
    const tag = quoted ?? bare;
    if (tag === etag || tag?.replace(MANGLED, "") === etag) return true;
  }
  return false;
}

/** Returns true if a range may be sent (RFC 9110 section 13.1.5): there is no `If-Range`, or it is
 * the strong tag. A date never matches, because a file can change twice in one second. */
export function mayContinue(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === `"${etag}"`;
}
