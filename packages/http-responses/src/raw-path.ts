/**
 * Returns the path of a URL, or of a path with a query, unchanged: not decoded, without the query.
 * It does not parse the whole URL, which costs more than the rest of a dispatch.
 */
export function rawPathOf(url: string): string {
  const authority = url.startsWith("/") ? -1 : url.indexOf("://");
  const start = authority === -1 ? 0 : url.indexOf("/", authority + 3);
  if (start === -1) return "/";
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
