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
export function unavailableResponse(site: Site, away: Unavailable): Promise<Response> {
  const title = away.isCallerLimited ? "Too many requests" : "Temporarily unavailable";
  const main = html`<main class="wrap lost" id="content">
    <h1>${title}</h1>
    <p>${away.text}</p>
  </main>`;
  const options = answerOf(away);
  const address = parsePublicAddress(site.address);
  if (address) return pageResponse(site, address, { title, main }, options);
  return documentResponse({ title: `${title} - ${site.name}`, body: main }, options);
}

/** Answers a program that asks for a page, such as one that reads the audit log. */
export function unavailableText(away: Unavailable): Response {
  const { status, headers } = answerOf(away);
  const type = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return new Response(`${away.text}\n`, { status, headers: { ...type, ...headers } });
}

function answerOf({ retryAfterSeconds, isCallerLimited }: Unavailable) {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return { status: isCallerLimited ? 429 : 503, headers };
}
