import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { STYLE } from "./style.ts";

export type Html = ReturnType<typeof html>;

type Document = {
  readonly title: string;
  readonly body: Html;
};

/** A lock's round seal; the browser asks for no icon file then. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Ccircle cx='16' cy='16' r='15' fill='%230b6b5d'/%3E" +
  "%3Cpath d='M9 16.5l5 5 9-10' fill='none' stroke='%23fff' stroke-width='3.5'/%3E%3C/svg%3E";

/** Nothing runs, nothing is fetched, nothing frames it; the one stylesheet is named by hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Made apart from the page: the hash covers every space between the tags. */
const STYLE_ELEMENT = raw(`<style>${STYLE}</style>`);

/** A whole page with everything it needs inside. */
export async function documentResponse(document: Document, status = 200): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.title}</title>
        <link rel="icon" href="${raw(ICON)}" />
        ${STYLE_ELEMENT}
      </head>
      <body>
        ${document.body}
      </body>
    </html>`;
  return new Response(String(page), { status, headers: HEADERS });
}
