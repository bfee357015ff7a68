import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import type { PublicAddress } from "../page/public-address.ts";

/** Leads the browser to another page, so that a reload changes nothing. */
export function seeOther(location: string): Response {
  return new Response(undefined, {
    status: 303,
    headers: { location, "cache-control": "no-store" },
  });
}

/** Leads the browser to another page after a change. */
export function afterChange(
  { root }: PublicAddress,
  path: string,
  notice: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return seeOther(`${root}${path}?${new URLSearchParams({ notice, ...more }).toString()}`);
}

/** Renders the outcome of the last change. Only texts of the table are ever shown. */
export function noticeIn(request: Request, texts: Readonly<Record<string, string>>): Html | false {
  const notice = new URL(request.url).searchParams.get("notice") ?? "";
  const text = Object.hasOwn(texts, notice) ? texts[notice] : undefined;
  return text !== undefined && noticeOf(text);
}

export function noticeOf(text: string): Html {
  return html`<p class="banner calm" role="status">${text}</p>`;
}
