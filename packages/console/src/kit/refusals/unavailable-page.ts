import { html } from "hono/html";
import { documentResponse } from "../page/document.ts";
import { LOGO } from "../page/icons.ts";

/**
 * Renders a 503 page for browsers: the database or storage is unavailable or full. With
 * `isCallerLimited`, the page is a 429.
 */
export function unavailableResponse(
  name: string,
  {
    text,
    retryAfterSeconds,
    isCallerLimited,
  }: {
    readonly text: string;
    readonly retryAfterSeconds: number | undefined;
    readonly isCallerLimited?: true;
  },
): Promise<Response> {
  const isLimited = isCallerLimited === true;
  const title = isLimited ? "Too many requests" : "Temporarily unavailable";
  const body = html`<main class="wrap lost">
    <div class="brand">
      ${LOGO}
      <h1>${title}</h1>
    </div>
    <p>${text}</p>
  </main>`;
  const headers =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return documentResponse(
    { title: `${title} - ${name}`, body },
    { status: isLimited ? 429 : 503, headers },
  );
}
