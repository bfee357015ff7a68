import { html } from "hono/html";
import { documentResponse } from "../document.ts";
import { pageFoot } from "../page-foot.ts";
import { NPM_PAGES } from "../npm/npm-address.ts";
import type { PublicAddress } from "../public-address.ts";
import type { Site } from "./model.ts";
import { pageBar } from "./page-bar.ts";

const NAME_LENGTH_MAX = 200;

const PAGES = { nuget: "/packages", npm: NPM_PAGES } as const;

export type Missing = {
  readonly name: string;
  /** Names of packages that may be meant. */
  readonly near: readonly string[];
  readonly pathOf: (name: string) => string;
  readonly of: "nuget" | "npm";
};

/** A 404 that tells what there is instead. */
export function missingPageResponse(
  site: Site,
  address: PublicAddress,
  asked: Missing,
): Promise<Response> {
  const { name, near, pathOf, of } = asked;
  const list = html`<h2>Did you mean</h2>
    <ul class="plain">
      ${near.map((id) => html`<li><a href="${pathOf(id)}">${id}</a></li>`)}
    </ul>`;
  const body = html`${pageBar(site, address, { of })}
    <main class="wrap lost" id="content">
      <h1>No such package here</h1>
      <p>${site.name} has no package <code>${name.slice(0, NAME_LENGTH_MAX)}</code>.</p>
      <p>
        It may be on another feed, may have been deleted, or may have another name.
        <a href="${address.root}${PAGES[of]}">Search all packages</a>
      </p>
      ${near.length > 0 && list}
    </main>
    ${pageFoot(site, address)}`;
  return documentResponse({ title: `No such package - ${site.name}`, body }, { status: 404 });
}
