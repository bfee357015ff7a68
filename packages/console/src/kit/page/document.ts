import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { COPY_SCRIPT, PASSKEY_SCRIPT } from "../assets/scripts.ts";
import { FORM_STYLE } from "../assets/form-style.ts";
import { PACKAGES_STYLE } from "../assets/package-style.ts";
import { STYLE } from "../assets/style.ts";

export type Html = ReturnType<typeof html>;

type Document = {
  readonly title: string;
  readonly body: Html;
  /** The canonical URL of the page; absolute. */
  readonly canonical?: string;
  /** Whether the page needs the copy script; default false. */
  readonly copies?: boolean;
  /** Whether the page asks for a passkey; default false. */
  readonly asksForPasskey?: boolean;
};

export type DocumentOptions = {
  /** HTTP status; default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The icon is inline, so that browsers do not request `/favicon.ico`. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Ccircle cx='16' cy='16' r='15' fill='%230b6b5d'/%3E" +
  "%3Cpath d='M9 16.5l5 5 9-10' fill='none' stroke='%23fff' stroke-width='3.5'/%3E%3C/svg%3E";

const ALL_STYLE = STYLE + PACKAGES_STYLE + FORM_STYLE;

/** Allows no foreign script, image or frame. Hashes allow the stylesheet and the script. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(ALL_STYLE)}`,
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  // Without a referrer, browsers send `Origin: null` with our own forms.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/** Not part of the page template, because the hashes cover every space between the tags. */
const STYLE_ELEMENT = raw(`<style>${ALL_STYLE}</style>`);
const COPIES = scriptOf(COPY_SCRIPT);
const PASSKEYS = scriptOf(PASSKEY_SCRIPT);

type Script = { readonly element: Html; readonly policy: string };

function scriptOf(text: string): Script {
  const element = html`${raw(`<script>${text}</script>`)}`;
  return { element, policy: `${POLICY}; script-src ${hashOf(text)}` };
}

/** Renders a complete page with its stylesheet and script inline. */
export async function documentResponse(
  document: Document,
  { status = 200, headers = {} }: DocumentOptions = {},
): Promise<Response> {
  const { canonical, copies = false, asksForPasskey = false } = document;
  const script = asksForPasskey ? PASSKEYS : copies ? COPIES : undefined;
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.title}</title>
        ${canonical !== undefined && html`<link rel="canonical" href="${canonical}" />`}
        <link rel="icon" href="${raw(ICON)}" />
        ${STYLE_ELEMENT}
      </head>
      <body>
        ${document.body} ${script?.element}
      </body>
    </html>`;
  const policy = script && { "content-security-policy": script.policy };
  return new Response(String(page), { status, headers: { ...HEADERS, ...policy, ...headers } });
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
