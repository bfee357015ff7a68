import { createHash } from "node:crypto";
import { compressResponse, namesEtag } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import { KEPT } from "./document.ts";

/** Gives pages that browsers may keep their entity tags, and compresses pages. */
export function finishPages(app: Hono): void {
  app.use("*", async (c, next) => {
    await next();
    const { raw } = c.req;
    const tagged = c.res.headers.get("cache-control") === KEPT ? await tag(raw, c.res) : c.res;
    const finished = isSafeToCompress(raw, tagged) ? await compressResponse(raw, tagged) : tagged;
    if (finished === c.res) return;
    // Without this, the headers of the first response would replace those of the second.
    c.res = undefined;
    c.res = finished;
  });
}

/**
 * The tag is made of the page itself. So it changes with the data, with what the caller may see,
 * and with the version of the page, and two callers share none unless they see the same bytes.
 */
async function tag(request: Request, response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.append("vary", "Cookie, Authorization");
  const page = new Uint8Array(await response.arrayBuffer());
  const etag = createHash("sha256").update(page).digest("base64url").slice(0, 22);
  // The compressed forms have other bytes.
  headers.set("etag", `W/"${etag}"`);
  if (namesEtag(request.headers.get("if-none-match") ?? "", etag)) {
    headers.delete("content-type");
    return new Response(undefined, { status: 304, headers });
  }
  return new Response(page, { status: response.status, headers });
}

/**
 * Whether a page has no secret whose length another site could learn from the compressed size (the
 * attack BREACH). Such an attack needs a page of a signed-in person that also has a text of the
 * attacker, whose requests the browser sends with the person's cookies. So pages of requests with
 * a cookie or credentials are compressed only when the request gives them no text: a GET without a
 * query whose path exists. Answers to forms, such as one with a new token, are never compressed.
 * The codes of forms are masked with new random bytes each time, whatever the compression.
 */
function isSafeToCompress({ method, url, headers }: Request, response: Response): boolean {
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (!isPage || (method !== "GET" && method !== "HEAD")) return false;
  const isPersonal = headers.has("cookie") || headers.has("authorization");
  return !isPersonal || (response.status === 200 && new URL(url).search === "");
}
