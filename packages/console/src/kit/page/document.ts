import { html } from "hono/html";
import { SCRIPT_PATH, STYLE_PATH } from "../assets/assets-app.ts";
import type { Theme } from "./theme.ts";

export type Html = ReturnType<typeof html>;

type Document = {
  readonly title: string;
  readonly body: Html;
  /** Path of the registry; undefined when its address is unknown. */
  readonly root?: string | undefined;
  readonly theme?: Theme | undefined;
  /** The canonical URL of the page; absolute. */
  readonly canonical?: string | undefined;
  /** Whether a browser may keep the page and ask whether it changed; default: it keeps nothing. */
  readonly isForReaders?: boolean | undefined;
};

export type DocumentOptions = {
  /** HTTP status; default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Pages that a browser may keep for its user. */
export const KEPT = "private, no-cache";

/** The icon is inline, so that browsers do not request `/favicon.ico`. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Ccircle cx='16' cy='16' r='15' fill='%230b6b5d'/%3E" +
  "%3Cpath d='M9 16.5l5 5 9-10' fill='none' stroke='%23fff' stroke-width='3.5'/%3E%3C/svg%3E";

/** Allows no inline style or script, and nothing of other hosts. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  // Without a referrer, browsers send `Origin: null` with our own forms.
  "referrer-policy": "same-origin",
};

/** Renders a complete page. */
export async function documentResponse(
  { title, body, root = "", theme, canonical, isForReaders = false }: Document,
  { status = 200, headers = {} }: DocumentOptions = {},
): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en" ${theme && html`data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${canonical !== undefined && html`<link rel="canonical" href="${canonical}" />`}
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${root}${STYLE_PATH}" />
        <script src="${root}${SCRIPT_PATH}" defer></script>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  const kept = isForReaders && status === 200 ? KEPT : "private, no-store";
  return new Response(String(page), {
    status,
    headers: { ...HEADERS, "cache-control": kept, ...headers },
  });
}
