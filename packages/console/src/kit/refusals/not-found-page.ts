import type { Context } from "hono";
import { html } from "hono/html";
import { documentResponse } from "../page/document.ts";
import type { Site } from "../page/model.ts";
import { pageResponse } from "../page/page-response.ts";
import { parsePublicAddress } from "../page/public-address.ts";

/** Renders a 404 page for browsers. */
export function notFoundResponse(site: Site, path: string): Promise<Response> {
  const address = parsePublicAddress(site.address);
  const main = html`<main class="wrap lost" id="content">
    <h1>Page not found</h1>
    <p>${site.name} has no page at <code>${path.slice(0, 200)}</code>.</p>
    <p>
      Check the address. Some addresses are for package clients only; the
      <a href="${address?.root ?? ""}/">front page</a> shows how to connect one.
    </p>
  </main>`;
  const title = "Not found";
  if (address) return pageResponse(site, address, { title, main }, { status: 404 });
  return documentResponse({ title: `${title} - ${site.name}`, body: main }, { status: 404 });
}

/** Whether a browser sent the request, rather than a package client. */
export function wantsPage(request: Pick<Request, "headers" | "method">): boolean {
  const reading = request.method === "GET" || request.method === "HEAD";
  return reading && (request.headers.get("accept") ?? "").includes("text/html");
}

/** Answers a request for a page that does not exist. */
export function nothingAt(c: Context, site: Site): Response | Promise<Response> {
  const { pathname } = new URL(c.req.url);
  if (wantsPage(c.req.raw)) return notFoundResponse(site, pathname);
  return c.json({ error: `There is nothing at ${pathname}.` }, 404);
}
