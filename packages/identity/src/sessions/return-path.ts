const LENGTH_MAX = 2_000;
/** The origin does not matter; no real host has this name. */
const BASE = "https://registry.invalid";
/** Browsers drop tabs and line breaks, so that `/%09/host` of a form becomes `//host`. */
// oxlint-disable-next-line no-control-regex -- control characters are the subject
const UNSAFE = /[\\\u0000-\u0020\u007f-\u009f]/;

/**
 * Returns a path of this registry from the text of a request, with its query. Anything that a
 * browser could read as the address of another site becomes `/`.
 */
export function parseReturnPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > LENGTH_MAX) return "/";
  if (!text.startsWith("/") || text.startsWith("//") || UNSAFE.test(text)) return "/";
  const url = URL.parse(text, BASE);
  if (url?.origin !== BASE) return "/";
  // `/..//host` resolves to `//host`.
  const path = url.pathname + url.search;
  return path.startsWith("//") ? "/" : path;
}
