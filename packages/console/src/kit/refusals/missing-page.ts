import type { Protocol } from "@sealhouse/request-types";
import { html } from "hono/html";
import { pageResponse } from "../page/page-response.ts";
import { IMAGE_PAGES, NPM_PAGES } from "../page/page-paths.ts";
import type { PublicAddress } from "../page/public-address.ts";
import type { Site } from "../page/model.ts";
import { withheldCard } from "../packages/withheld-versions.ts";
import type { WithheldVersion } from "../packages/withheld-versions.ts";

const NAME_LENGTH_MAX = 200;

const PAGES: Readonly<Record<Protocol, { readonly path: string; readonly what: string }>> = {
  nuget: { path: "/packages", what: "package" },
  npm: { path: NPM_PAGES, what: "package" },
  oci: { path: IMAGE_PAGES, what: "image" },
};

export type Missing = {
  readonly name: string;
  /** Similar names that exist. */
  readonly near: readonly string[];
  readonly pathOf: (name: string) => string;
  readonly of: Protocol;
  /** Versions of the name that clients do not get; default: none. */
  readonly withheld?: readonly WithheldVersion[];
  /** Whether the requested version is one of them. */
  readonly isWithheld?: boolean;
};

/** Renders a 404 page with suggestions. */
export function missingPageResponse(
  site: Site,
  address: PublicAddress,
  missing: Missing,
): Promise<Response> {
  const { name, near, pathOf, of, withheld = [], isWithheld = false } = missing;
  const { path, what } = PAGES[of];
  const list = html`<h2>Did you mean</h2>
    <ul class="plain">
      ${near.map((id) => html`<li><a href="${pathOf(id)}">${id}</a></li>`)}
    </ul>`;
  const main = html`<main class="wrap lost" id="content">
    <h1>${what === "image" ? "Image" : "Package"} not ${isWithheld ? "available" : "found"}</h1>
    <p>
      ${site.name} ${isWithheld ? "does not give clients the" : "has no"} ${what}
      <code>${name.slice(0, NAME_LENGTH_MAX)}</code>.
    </p>
    <p>
      ${!isWithheld && "It may be deleted, have another name, or be on another registry."}
      <a href="${address.root}${path}">Search all ${what}s</a>
    </p>
    ${withheldCard(withheld)} ${near.length > 0 && list}
  </main>`;
  return pageResponse(site, address, { title: "Not found", main, bar: { of } }, { status: 404 });
}
