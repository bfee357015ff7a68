import { html } from "hono/html";
import { documentResponse } from "./document.ts";
import { SEAL } from "../seal.ts";

/** Renders a 503 page for browsers: the database or storage is unavailable or full. */
export function unavailableResponse(
  name: string,
  {
    text,
    retryAfterSeconds,
  }: { readonly text: string; readonly retryAfterSeconds: number | undefined },
): Promise<Response> {
  const title = "Temporarily unavailable";
  const body = html`<main class="wrap lost">
    <div class="brand">
      ${SEAL}
      <h1>${title}</h1>
    </div>
    <p>${text}</p>
  </main>`;
  const wait = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return documentResponse({ title: `${title} - ${name}`, body }, { status: 503, headers: wait });
}
