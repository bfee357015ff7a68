import { html } from "hono/html";
import { wrapName } from "../kit/wrap-name.ts";
import type { Html } from "../kit/document.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { countOf, formatShortCount } from "../kit/amounts.ts";
import { packagePath } from "./links.ts";
import type { Dependents, DependencyGroup } from "./model.ts";
import { rangeWords } from "./range-words.ts";

/** Framework groups that are initially open; more would push the rest of the page down. */
const OPEN_GROUPS_MAX = 3;

export function dependenciesCard(groups: readonly DependencyGroup[], address: PublicAddress): Html {
  const isNone = groups.every(({ dependencies }) => dependencies.length === 0);
  const isPlain = groups.length === 0 || (groups.length === 1 && isNone);
  return html`<section class="card" aria-labelledby="dependencies">
    <h2 id="dependencies">Dependencies</h2>
    ${
      isPlain
        ? html`<p class="soft">This version has no dependencies.</p>`
        : groups.map((group, index) => dependencyGroup(group, index < OPEN_GROUPS_MAX, address))
    }
  </section>`;
}

function dependencyGroup(
  { targetFramework, dependencies }: DependencyGroup,
  open: boolean,
  address: PublicAddress,
): Html {
  const list = html`<ul class="plain">
    ${dependencies.map(
      ({ id, range }) =>
        html`<li>
          <a href="${packagePath(address, { id })}">${wrapName(id)}</a>
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
