import { lowerId } from "@sealhouse/nuget-protocol";
import { html } from "hono/html";
import { countOf, formatShortCount, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { linkedName } from "../kit/links/name-links.ts";
import type { NameLinks } from "../kit/links/name-links.ts";
import { packagePath } from "../kit/links/nuget-address.ts";
import type { Dependents, DependencyGroup, PackagePage } from "./model.ts";
import { rangeWords } from "./range-words.ts";

/** Framework groups with dependencies that are initially open; more would make the page long. */
const OPEN_GROUPS_MAX = 3;

export function dependenciesCard(
  { dependencyGroups: groups, links }: Pick<PackagePage, "dependencyGroups" | "links">,
  address: PublicAddress,
): Html {
  const shownOpen = new Set(groups.filter(isFilled).slice(0, OPEN_GROUPS_MAX));
  const isNone = !groups.some(isFilled);
  const isPlain = groups.length === 0 || (groups.length === 1 && isNone);
  return html`<section class="card" aria-labelledby="dependencies">
    <h2 id="dependencies">Dependencies</h2>
    ${
      isPlain
        ? html`<p class="soft">This version has no dependencies.</p>`
        : groups.map((group) =>
            dependencyGroup(group, { open: shownOpen.has(group), links, address }),
          )
    }
  </section>`;
}

function isFilled({ dependencies }: DependencyGroup): boolean {
  return dependencies.length > 0;
}

function dependencyGroup(
  { targetFramework, dependencies }: DependencyGroup,
  {
    open,
    links,
    address,
  }: { readonly open: boolean; readonly links: NameLinks; readonly address: PublicAddress },
): Html {
  const list = html`<ul class="plain">
    ${dependencies.map(
      ({ id, range }) =>
        html`<li>
          ${linkedName(id, links.get(lowerId(id)), packagePath(address, { id }))}
          <span class="soft">${rangeWords(range)}</span>
        </li>`,
    )}
  </ul>`;
  const name = targetFramework ?? "Any framework";
  return html`<details class="group" ${open ? "open" : ""}>
    <summary>${name} <span class="soft">(${dependencies.length})</span></summary>
    ${dependencies.length > 0 ? list : html`<p class="soft">None.</p>`}
  </details>`;
}

export function dependentsCard({ totalHits, packages }: Dependents, address: PublicAddress): Html {
  const hidden = totalHits - packages.length;
  const list = html`<ul class="plain">
    ${packages.map(
      ({ id, description, downloads }) =>
        html`<li>
          <a href="${packagePath(address, { id })}">${wrapName(id)}</a>
          <span class="soft">${formatShortCount(downloads)} downloads</span>
          <p class="clipped soft">${description}</p>
        </li>`,
    )}
  </ul>`;
  return html`<section class="card" aria-labelledby="dependents">
    <h2 id="dependents">Used by</h2>
    ${
      totalHits === 0
        ? html`<p class="soft">No other package in this registry depends on it.</p>`
        : html`<p class="soft">${countOf(totalHits, "package")}, by downloads.</p>`
    }
    ${packages.length > 0 && list}
    ${hidden > 0 && html`<p class="soft">And ${countOf(hidden, "other")}.</p>`}
  </section>`;
}
