import { lowerId } from "@sealhouse/nuget-protocol";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { severityName } from "../kit/elements/badges.ts";
import { linkedName } from "../kit/links/name-links.ts";
import type { NameLinks } from "../kit/links/name-links.ts";
import { withheldBanner } from "../kit/packages/withheld-versions.ts";
import { packagePath } from "../kit/links/nuget-address.ts";
import { externalLink } from "../kit/links/external-link.ts";
import type { PackageAdvisory, PackageDeprecation, PackagePage } from "./model.ts";
import { rangeWords } from "./range-words.ts";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["legacy", "it is legacy and no longer maintained"],
  ["criticalbugs", "it has critical bugs"],
]);

/** Renders warnings about the version, most severe first. */
export function banners(page: PackagePage, address: PublicAddress): Html {
  const { advisories, deprecation, listed, withheld = [] } = page;
  const why = withheld.find(({ version }) => version === page.version.toLowerCase());
  return html`${why && withheldBanner(why)} ${advisories.length > 0 && vulnerable(advisories)}
  ${deprecation && deprecated(deprecation, page.links, address)} ${!listed && unlisted()}
  ${newer(page, address)}`;
}

function vulnerable(advisories: readonly PackageAdvisory[]): Html {
  const sorted = advisories.toSorted((advisory, other) => other.severity - advisory.severity);
  const item = ({ severity, url, versions, advisoryId }: PackageAdvisory) =>
    html`<li>
      <strong>${severityName(severity)}</strong> severity: ${externalLink(url, advisoryId ?? url)},
      versions ${rangeWords(versions)}
    </li>`;
  return html`<section class="banner bad" aria-labelledby="vulnerable">
    <h2 id="vulnerable">This version has known vulnerabilities</h2>
    <ul>
      ${sorted.map(item)}
    </ul>
  </section>`;
}

function deprecated(
  deprecation: PackageDeprecation,
  links: NameLinks,
  address: PublicAddress,
): Html {
  const { message, alternatePackage } = deprecation;
  const reasons = deprecation.reasons.flatMap((reason) => REASONS.get(reason.toLowerCase()) ?? []);
  const why = reasons.length > 0 ? ` because ${reasons.join(" and ")}` : "";
  const { id, range } = alternatePackage ?? { id: "", range: "*" };
  const other = html`<p>
    Use ${linkedName(id, links.get(lowerId(id)), packagePath(address, { id }))}
    ${range !== "*" && html`(${rangeWords(range)})`} instead.
  </p>`;
  return html`<section class="banner warn" aria-labelledby="deprecated">
    <h2 id="deprecated">This version is deprecated${why}</h2>
    ${message !== undefined && html`<p class="said">${message}</p>`} ${alternatePackage && other}
  </section>`;
}

function unlisted(): Html {
  return html`<section class="banner calm" aria-labelledby="unlisted">
    <h2 id="unlisted">This version is unlisted</h2>
    <p>Search does not show it; builds that use it still restore it.</p>
  </section>`;
}

function newer({ id, newer: there }: PackagePage, address: PublicAddress): Html | false {
  if (!there) return false;
  const to = packagePath(address, { id, version: there.version });
  return html`<p class="banner calm">
    There is a newer version:
    <a href="${to}">${there.version}</a>${there.isPrerelease && ", a prerelease"}.
  </p>`;
}
