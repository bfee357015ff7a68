/** Codings that proxies are known to append to an entity tag when they compress on the way. */
const MANGLED = /(?:--?|;)(?:gzip|zstd|br|deflate)$/;
const LISTED = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;

/**
 * Whether an `If-None-Match` header names `etag` (without quotes), compared weakly: RFC 9110
 * section 13.1.2. Proxies that compress answers hand out `"x-gzip"` (Apache), `"x--gzip"` (Jetty)
 * or `W/"x"` (nginx) for `"x"`; all of them mean our `x`. Tags without quotes are taken, too.
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

/** RFC 9110 section 13.1.5: a part may be added only to bytes that are surely the same, so the tag
 * must be the strong one. A date never is: we cannot tell two changes in one second apart. */
export function mayContinue(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === `"${etag}"`;
}
