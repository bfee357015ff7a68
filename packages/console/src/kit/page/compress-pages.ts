import { compressResponse } from "@sealhouse/http-responses";
import type { Hono } from "hono";

/**
 * Compresses pages, except those whose compressed length could tell a secret to another site (the
 * attack BREACH). Such an attack needs a page of a signed-in person that also has a text of the
 * attacker, whose requests the browser sends with the person's cookies. So pages of requests with
 * a cookie or credentials are compressed only when the request gives them no text: a GET without a
 * query whose path exists. Answers to forms are never compressed. The codes of forms are masked
 * with new random bytes each time, whatever the compression.
 */
export function compressPages(app: Hono): void {
  app.use("*", async (c, next) => {
    await next();
    if (!isSafeToCompress(c.req.raw, c.res)) return;
    const compressed = await compressResponse(c.req.raw, c.res);
    // Without this, the headers of the first response would replace those of the second.
    c.res = undefined;
    c.res = compressed;
  });
}

function isSafeToCompress({ method, url, headers }: Request, response: Response): boolean {
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (!isPage || (method !== "GET" && method !== "HEAD")) return false;
  const isPersonal = headers.has("cookie") || headers.has("authorization");
  return !isPersonal || (response.status === 200 && new URL(url).search === "");
}
