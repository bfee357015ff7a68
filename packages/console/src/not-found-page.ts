import { html } from "hono/html";
import { documentResponse } from "./document.ts";
import { SEAL } from "./seal.ts";

/**
 * A 404 for people. `home` is where the link leads: the public base URL, or `/`.
 */
export function notFoundResponse(
  model: { readonly name: string; readonly home?: string },
  path: string,
): Promise<Response> {
  const home = model.home ?? "/";
  const body = html`<main class="wrap lost">
    <div class="brand">
      ${SEAL}
      <h1>Nothing is here</h1>
    </div>
    <p>${model.name} has no page at <code>${path.slice(0, 200)}</code>.</p>
    <p>
      The address may be mistyped, or it is one that only package clients use.
      <a href="${home}">Go to the front page</a>, which says how to connect one.
    </p>
  </main>`;
  return documentResponse({ title: `Not found - ${model.name}`, body }, { status: 404 });
}

/** Whether a person's browser asks, rather than a package client. */
export function wantsPage(request: Pick<Request, "headers" | "method">): boolean {
  const reading = request.method === "GET" || request.method === "HEAD";
  return reading && (request.headers.get("accept") ?? "").includes("text/html");
}
