import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import { clipped } from "../npm/clipped.ts";
import { formatCount } from "../kit/amounts.ts";
import { externalLink } from "../kit/external-link.ts";
import { formatRelativeTime } from "../kit/relative-time.ts";
import type { Pairs } from "./model.ts";

const TEXT_LENGTH_MAX = 400;
const URL_LENGTH_MAX = 2_048;
const NAME_LENGTH_MAX = 120;
const DIGEST_LENGTH_SHOWN = 19;

/** Shortens a digest for display. */
export function shortDigest(digest: string): string {
  return digest.length > DIGEST_LENGTH_SHOWN ? `${digest.slice(0, DIGEST_LENGTH_SHOWN)}…` : digest;
}

export function timeAgo(time: Date, now: Date): Html {
  const exact = time.toISOString();
  return html`<time datetime="${exact}" title="${exact}">${formatRelativeTime(time, now)}</time>`;
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

export function andMore(hidden: number): Html | false {
  return hidden > 0 && html`<p class="soft">And ${formatCount(hidden)} more.</p>`;
}

/** Renders a table that scrolls when it is wider than the page. */
export function table(caption: string, heads: readonly Head[], rows: readonly Html[]): Html {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map(
            ({ text, isNumber = false }) =>
              html`<th scope="col" class="${isNumber ? "number" : ""}">${text}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

export type Head = { readonly text: string; readonly isNumber?: boolean };
