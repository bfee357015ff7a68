import { html } from "hono/html";
import { clipped, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { npmRegistryOf } from "../kit/clients/client-lines.ts";
import { badge, stateBadges } from "../kit/elements/badges.ts";
import type { Severity, Site } from "../kit/page/model.ts";
import { PARCEL } from "../kit/page/icons.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import { readmeCard } from "../kit/packages/readme-card.ts";
import { versionsCard } from "../kit/packages/versions-card.ts";
import { withheldCard } from "../kit/packages/withheld-versions.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import type { RenderedReadme } from "../readme/readme-text.ts";
import { choices } from "../kit/clients/snippets.ts";
import { manageLink } from "../kit/links/name-address.ts";
import { installLines } from "./install-lines.ts";
import type { NpmPage } from "./model.ts";
import { npmAboutCards, npmDetailsCard } from "./npm-about-cards.ts";
import { npmPackagePath } from "../kit/links/npm-address.ts";
import { npmBanners } from "./npm-banners.ts";
import { npmDependenciesCard, npmDependentsCard } from "./npm-dependencies-card.ts";
import { npmTrustCards } from "./npm-trust-card.ts";

const DESCRIPTION_LENGTH_MAX = 2_000;

export type AskedNpm = {
  readonly page: NpmPage;
  /** Undefined when the package has no readme. */
  readonly readme: RenderedReadme | undefined;
  /** Whether the path contains the version. */
  readonly isVersionNamed: boolean;
};

/** Renders `GET /npm-packages/{name}` and `GET /npm-packages/{name}/v/{version}`. */
export function npmPackagePageResponse(
  site: Site,
  address: PublicAddress,
  { page, readme, isVersionNamed }: AskedNpm,
): Promise<Response> {
  const { name, version } = page;
  const description = clipped(page.description, DESCRIPTION_LENGTH_MAX);
  const main = html`<main id="content">
    ${pageHead(page, address, description)}
    <div class="wrap columns">
      <div class="stack">
        ${npmBanners(page, address)} ${installCard(page, site, address)}
        ${readmeCard(page.readme, readme, description || "No description.")}
        ${npmDependenciesCard(page, address)}
        ${withheldCard((page.withheld ?? []).filter((other) => other.version !== version))}
        ${versionsCard(page.history, {
          version,
          pathOf: (target) => npmPackagePath(address, { name, version: target }),
          sizeTitle: "Unpacked",
        })}
        ${npmDependentsCard(page.dependents, address)}
      </div>
      <div class="stack">
        ${npmAboutCards(page, site, address)} ${npmTrustCards(page, address)}
        ${npmDetailsCard(page, address)}
      </div>
    </div>
  </main>`;
  const path = npmPackagePath(address, isVersionNamed ? { name, version } : { name });
  const canonical = new URL(path, address.base).href;
  const title = `${name} ${version} - npm`;
  return pageResponse(site, address, {
    title,
    main,
    bar: { of: "npm" },
    canonical,
    isForReaders: true,
  });
}

function pageHead(page: NpmPage, address: PublicAddress, description: string): Html {
  const { name, version, deprecated, advisories, provenance } = page;
  const severity = worstOf(advisories.map((advisory) => advisory.severity));
  const states = stateBadges({ ...page, deprecated: deprecated !== undefined, severity });
  const isProven = provenance.some(({ verdict }) => verdict.status === "verified");
  return html`<div class="top package">
    <div class="wrap">
      ${PARCEL}
      <div>
        <h1>${wrapName(name)} <span class="version">${version}</span></h1>
        <p class="badges">${isProven && badge("Provenance", "kind")}${states}</p>
        ${page.readme.status === "text" && html`<p class="lead clipped">${description}</p>`}
        ${manageLink(page.isManaged, address, { protocol: "npm", name })}
      </div>
    </div>
  </div>`;
}

function worstOf(severities: readonly Severity[]): Severity | undefined {
  return severities.toSorted((severity, other) => other - severity)[0];
}

function installCard(page: NpmPage, site: Site, address: PublicAddress): Html {
  const snippets = installLines(page, address, site);
  return html`<section class="card" aria-labelledby="install">
    <h2 id="install">Install</h2>
    ${snippets.length > 0 && choices("client", "Kind of client", snippets)}
    <p class="note">Registry URL: <code>${npmRegistryOf(address.base)}</code></p>
  </section>`;
}
