import { html } from "hono/html";
import { wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import type { RenderedReadme } from "../readme/readme-text.ts";
import { stateBadges, typeBadges } from "../kit/elements/badges.ts";
import { packagePath } from "../kit/links/nuget-address.ts";
import type { Severity, Site } from "../kit/page/model.ts";
import { manageLink } from "../kit/links/name-address.ts";
import { readmeCard } from "../kit/packages/readme-card.ts";
import type { HistoryPlace } from "../kit/packages/versions-card.ts";
import { versionsCard } from "../kit/packages/versions-card.ts";
import { withheldCard } from "../kit/packages/withheld-versions.ts";
import { addFeedLine, nugetIndexOf } from "../kit/clients/client-lines.ts";
import { choices, copyable } from "../kit/clients/snippets.ts";
import { installSnippets } from "../kit/clients/install-snippets.ts";
import { aboutCards } from "./about-card.ts";
import { banners } from "./banners.ts";
import { dependenciesCard, dependentsCard } from "./dependencies-card.ts";
import type { PackagePage } from "./model.ts";
import { packageIcon } from "./package-icon.ts";

export type PageContent = {
  readonly page: PackagePage;
  /** Undefined when the package has no readme. */
  readonly readme: RenderedReadme | undefined;
  /** Whether the path contains the version. */
  readonly isVersionNamed: boolean;
};

/** Renders `GET /packages/{id}` and `GET /packages/{id}/{version}`. */
export function packagePageResponse(
  site: Site,
  address: PublicAddress,
  { page, readme, isVersionNamed }: PageContent,
): Promise<Response> {
  const main = html`<main id="content">
    ${pageHead(page, address)}
    <div class="wrap columns">
      <div class="stack">
        ${banners(page, address)} ${installCard(page, site, address)}
        ${readmeCard(page.readme, readme, page.description)} ${releaseNotes(page)}
        ${dependenciesCard(page, address)} ${withheldCard(otherWithheld(page))}
        ${versionsCard(page.history, placeOf(page, address))}
        ${dependentsCard(page.dependents, address)}
      </div>
      <div class="stack">${aboutCards(page, site, address)}</div>
    </div>
  </main>`;
  const { id, version } = page;
  const path = packagePath(address, isVersionNamed ? { id, version } : { id });
  const canonical = new URL(path, address.base).href;
  return pageResponse(site, address, {
    title: `${id} ${version}`,
    main,
    canonical,
    isForReaders: true,
  });
}

function otherWithheld({ version, withheld = [] }: PackagePage) {
  return withheld.filter((other) => other.version !== version.toLowerCase());
}

function placeOf({ id, version }: PackagePage, address: PublicAddress): HistoryPlace {
  return { version, pathOf: (target) => packagePath(address, { id, version: target }) };
}

function pageHead(page: PackagePage, address: PublicAddress): Html {
  const { id, version, title, description, authors } = page;
  const { deprecation, advisories } = page;
  const severity = worstOf(advisories.map((advisory) => advisory.severity));
  const states = stateBadges({ ...page, deprecated: deprecation !== undefined, severity });
  const hasReadme = page.readme.status === "text";
  return html`<div class="top package">
    <div class="wrap">
      ${packageIcon(page, address)}
      <div>
        <h1>${wrapName(id)} <span class="version">${version}</span></h1>
        ${title !== undefined && title !== id && html`<p class="soft">${title}</p>`}
        <p class="badges">${typeBadges(page.packageTypes)}${states}</p>
        ${hasReadme && html`<p class="lead clipped">${description}</p>`}
        ${authors !== "" && html`<p class="soft">by ${authors}</p>`}
        ${manageLink(page.isManaged, address, { protocol: "nuget", name: id })}
      </div>
    </div>
  </div>`;
}

function worstOf(severities: readonly Severity[]): Severity | undefined {
  return severities.toSorted((severity, other) => other - severity)[0];
}

function releaseNotes({ releaseNotes: notes }: PackagePage): Html | false {
  if (notes === undefined) return false;
  return html`<section class="card" aria-labelledby="notes">
    <h2 id="notes">Release notes</h2>
    <p class="said">${notes}</p>
  </section>`;
}

/** Renders the install instructions, and those for adding the feed. */
export function installCard(page: PackagePage, site: Site, address: PublicAddress): Html {
  const index = nugetIndexOf(address.base);
  const snippets = installSnippets(page, index);
  return html`<section class="card" aria-labelledby="install">
    <h2 id="install">Install</h2>
    ${snippets.length > 0 && choices("client", "Kind of client", snippets)}
    <details>
      <summary>Add this feed first</summary>
      <p class="note">Once per machine. Feed URL: <code>${index}</code></p>
      ${copyable("add-feed", { label: "In a shell", lines: [addFeedLine(address, site)] })}
    </details>
  </section>`;
}
