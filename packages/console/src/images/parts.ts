import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { clipped } from "../kit/elements/format.ts";
import { andMore } from "../kit/elements/tables.ts";
import { externalLink } from "../kit/links/external-link.ts";
import type { Pairs } from "./model.ts";

const TEXT_LENGTH_MAX = 400;
const URL_LENGTH_MAX = 2_048;
const NAME_LENGTH_MAX = 120;
const DIGEST_LENGTH_SHOWN = 19;

/** Shortens a digest for display. */
export function shortDigest(digest: string): string {
  return digest.length > DIGEST_LENGTH_SHOWN ? `${digest.slice(0, DIGEST_LENGTH_SHOWN)}…` : digest;
}

/** Renders untrusted text: a link when it is a web URL, and otherwise plain text. */
export function foreignText(value: string): Html {
  const url = /^https?:\/\/\S+$/i.test(value) && value.length <= URL_LENGTH_MAX && URL.parse(value);
  if (!url) return html`<span>${clipped(value, TEXT_LENGTH_MAX)}</span>`;
  url.username = "";
  url.password = "";
  return externalLink(url.href, clipped(url.href, TEXT_LENGTH_MAX));
}

/** Renders untrusted names and values. */
export function pairList({ total, shown }: Pairs): Html {
  const hidden = total - shown.length;
  return html`<dl class="pairs">
      ${shown.map(
        ({ name, value }) =>
          html`<div>
            <dt class="long">${clipped(name, NAME_LENGTH_MAX)}</dt>
            <dd class="said">${foreignText(value)}</dd>
          </div>`,
      )}
    </dl>
    ${andMore(hidden)}`;
}
