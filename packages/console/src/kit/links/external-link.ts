import { html } from "hono/html";
import type { Html } from "../page/document.ts";

/** Renders an untrusted URL as a link; as plain text unless it is http or https. */
export function externalLink(url: string, text: string = url): Html {
  const parsed = URL.parse(url);
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (!isWeb) return html`<span>${text}</span>`;
  return html`<a href="${parsed.href}" rel="nofollow noopener noreferrer">${text}</a>`;
}
