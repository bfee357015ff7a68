import type { Context } from "hono";

/** A download that clients may read at another address. */
export type RedirectedDownload = {
  /** Entity tag of the bytes, without quotes. */
  readonly etag: string;
  readonly status: 302 | 307;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns a URL that needs no credentials; undefined when clients must read the bytes here. */
  readonly address: () => Promise<string | undefined> | undefined;
};

/**
 * Redirects a `GET` of bytes that the client does not have yet. Caches must not store the answer,
 * because the URL expires. Returns undefined when the caller must send the bytes.
 */
export async function redirectDownload(
  c: Context,
  { etag, status, headers, address }: RedirectedDownload,
): Promise<Response | undefined> {
  const isKnown = c.req.header("if-none-match")?.includes(etag) ?? false;
  const location = c.req.method === "GET" && !isKnown ? await address() : undefined;
  if (location === undefined) return undefined;
  const own = { location, "cache-control": "no-store", "content-length": "0" };
  return c.body(null, status, { ...headers, ...own });
}
