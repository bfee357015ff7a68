import { html } from "hono/html";
import { clipped, countOf, formatCount, wrapName } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { linkedName } from "../kit/links/name-links.ts";
import type { NameLinks } from "../kit/links/name-links.ts";
import type { NpmDependency, NpmDependencyGroup, NpmPage } from "./model.ts";
import { isLinkable, npmPackagePath } from "../kit/links/npm-address.ts";

const TITLES: Readonly<Record<NpmDependencyGroup["kind"], string>> = {
  needed: "Dependencies",
  optional: "Optional dependencies",
  peer: "Peer dependencies",
  "optional-peer": "Optional peer dependencies",
  development: "Development dependencies",
};
/** Dependencies of a kind that a page lists. */
export const ENTRIES_SHOWN_MAX = 200;
const NAME_LENGTH_MAX = 214;
const RANGE_LENGTH_MAX = 120;

export function npmDependenciesCard(
  { dependencies: groups, links }: Pick<NpmPage, "dependencies" | "links">,
  address: PublicAddress,
): Html {
  const filled = groups.filter(({ entries }) => entries.length > 0);
  const isUsedAlone = filled.every(({ kind }) => kind === "development");
  return html`<section class="card" aria-labelledby="dependencies">
    <h2 id="dependencies">Dependencies</h2>
    ${isUsedAlone && html`<p class="soft">This version has no dependencies.</p>`}
    ${filled.map((group) => dependencyGroup(group, links, address))}
  </section>`;
}

function dependencyGroup(
  { kind, entries }: NpmDependencyGroup,
  links: NameLinks,
  address: PublicAddress,
): Html {
  const hidden = entries.length - ENTRIES_SHOWN_MAX;
  return html`<details class="group" ${kind === "development" ? "" : "open"}>
    <summary>${TITLES[kind]} <span class="soft">(${formatCount(entries.length)})</span></summary>
    <ul class="plain">
      ${entries.slice(0, ENTRIES_SHOWN_MAX).map((entry) => dependency(entry, links, address))}
      ${hidden > 0 && html`<li class="soft">and ${formatCount(hidden)} more</li>`}
    </ul>
  </details>`;
}

function dependency(
  { name, target = name, range }: NpmDependency,
  links: NameLinks,
  address: PublicAddress,
): Html {
  const rangeText = clipped(range, RANGE_LENGTH_MAX);
  const alias = target !== name && html`<span class="soft">as ${shown(name)}</span>`;
  return html`<li>
    ${
      isLinkable(target)
        ? linkedName(target, links.get(target), npmPackagePath(address, { name: target }))
        : html`<span>${shown(target)}</span>`
    }
    ${alias}
    <span class="soft">${rangeText === "" || rangeText === "*" ? "any version" : rangeText}</span>
  </li>`;
}

export function npmDependentsCard(
  { totalHits, names }: NpmPage["dependents"],
  address: PublicAddress,
): Html {
  const hidden = totalHits - names.length;
  const list = html`<ul class="plain">
    ${names.map((name) => html`<li>${packageLink(name, address)}</li>`)}
  </ul>`;
  return html`<section class="card" aria-labelledby="dependents">
    <h2 id="dependents">Used by</h2>
    ${
      totalHits === 0
        ? html`<p class="soft">No other package in this registry depends on it.</p>`
        : html`<p class="soft">
            ${countOf(totalHits, "package")} in this registry whose <code>latest</code> depends on
            it.
          </p>`
    }
    ${names.length > 0 && list}
    ${hidden > 0 && html`<p class="soft">And ${countOf(hidden, "other")}.</p>`}
  </section>`;
}

function packageLink(name: string, address: PublicAddress): Html {
  if (!isLinkable(name)) return html`<span>${shown(name)}</span>`;
  return html`<a href="${npmPackagePath(address, { name })}">${wrapName(name)}</a>`;
}

function shown(name: string): string {
  return clipped(name, NAME_LENGTH_MAX);
}
