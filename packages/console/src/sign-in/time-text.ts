import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";

/** Renders a time to the minute. */
export function timeText(at: Date): Html {
  const text = at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}
