import { html } from "hono/html";
import type { DocumentOptions, Html } from "./document.ts";
import { documentResponse } from "./document.ts";
import type { Site } from "./model.ts";
import { pageBar, pageFoot } from "./page-frame.ts";
import type { BarOptions } from "./page-frame.ts";
import type { PublicAddress } from "./public-address.ts";

export type Page = {
  /** Without the name of the registry. */
  readonly title: string;
  /** The element `main`. */
  readonly main: Html;
  readonly bar?: BarOptions;
  /** The canonical URL of the page; absolute. */
  readonly canonical?: string;
  /**
   * Whether a browser may keep the page and ask whether it changed. Never with a code, a secret or
   * a form that changes something. Default: it keeps nothing.
   */
  readonly isForReaders?: boolean;
};

/** Renders a page with its bar and footer. */
export function pageResponse(
  site: Site,
  address: PublicAddress,
  { title, main, bar, canonical, isForReaders }: Page,
  options: DocumentOptions = {},
): Promise<Response> {
  const body = html`${pageBar(site, address, bar)} ${main} ${pageFoot(site, address)}`;
  const { root } = address;
  const { theme } = site;
  const shown = { title: `${title} - ${site.name}`, body, root, theme, canonical, isForReaders };
  return documentResponse(shown, options);
}
