import { html } from "hono/html";
import type { Html } from "./document.ts";

/** A link that the author of a package chose; plain text for whatever is no web address. */
export function externalLink(url: string, text: string = url): Html {
  const parsed = URL.parse(url);
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (!isWeb) return html`<span>${text}</span>`;
  return html`<a href="${parsed.href}" rel="nofollow noopener noreferrer">${text}</a>`;
}
