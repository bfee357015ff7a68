import type { Unavailable } from "@sealhouse/http-responses";
import { html } from "hono/html";
import { documentResponse } from "../page/document.ts";
import type { Site } from "../page/model.ts";
import { pageResponse } from "../page/page-response.ts";
import { parsePublicAddress } from "../page/public-address.ts";

/**
 * Renders a 503 page for browsers: the database or storage is unavailable or full. For a caller
 * that sent too many requests, the page is a 429.
 */
export function unavailableResponse(
  site: Site,
  { text, retryAfterSeconds, isCallerLimited }: Unavailable,
): Promise<Response> {
  const isLimited = isCallerLimited === true;
  const title = isLimited ? "Too many requests" : "Temporarily unavailable";
  const main = html`<main class="wrap lost" id="content">
    <h1>${title}</h1>
    <p>${text}</p>
  </main>`;
  const headers =
    retryAfterSeconds === undefined ? undefined : { "retry-after": String(retryAfterSeconds) };
  const options = { status: isLimited ? 429 : 503, ...(headers && { headers }) };
  const address = parsePublicAddress(site.address);
  if (address) return pageResponse(site, address, { title, main }, options);
  return documentResponse({ title: `${title} - ${site.name}`, body: main }, options);
}
