import { html } from "hono/html";
import type { Html } from "../document.ts";
import type { PublicAddress } from "../public-address.ts";
import { formatCount, formatDay, formatSize } from "./amounts.ts";
import { stateBadges } from "./badges.ts";
import { packagePath } from "./links.ts";
import type { PackagePage, VersionLine } from "./model.ts";

/** Rows of one page of the history. */
export const VERSIONS_PER_PAGE = 100;
/** Rows before a reader asks for more. */
const VERSIONS_OPEN = 10;

/** The history, newest first. `pageNumber` counts from 1 and is brought into range. */
export function versionsCard(page: PackagePage, pageNumber: number, address: PublicAddress): Html {
  const { versions } = page;
  const last = Math.max(1, Math.ceil(versions.length / VERSIONS_PER_PAGE));
  const number = Math.min(Math.max(pageNumber, 1), last);
  const start = (number - 1) * VERSIONS_PER_PAGE;
  const shown = versions.slice(start, start + VERSIONS_PER_PAGE);
  // Somebody who went to a later page, or stands on an old version, wants to see all of them.
  const isAtTop = shown.slice(0, VERSIONS_OPEN).some((one) => one.version === page.version);
  const first = number === 1 && isAtTop ? VERSIONS_OPEN : shown.length;
  const rest = shown.slice(first);
  return html`<section class="card" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    ${table(page, shown.slice(0, first), address, "Versions, newest first")}
    ${
      rest.length > 0 &&
      html`<details>
        <summary>Show ${formatCount(rest.length)} older</summary>
        ${table(page, rest, address, "Older versions")}
      </details>`
    }
    ${last > 1 && pages(page, { number, last }, address)}
  </section>`;
}

function table(
  page: PackagePage,
  lines: readonly VersionLine[],
  address: PublicAddress,
  caption: string,
): Html {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Published</th>
          <th scope="col" class="number">Downloads</th>
          <th scope="col" class="number">Size</th>
        </tr>
      </thead>
      <tbody>
        ${lines.map((line) => row(page, line, address))}
      </tbody>
    </table>
  </div>`;
}

function row({ id, version }: PackagePage, line: VersionLine, address: PublicAddress): Html {
  const to = packagePath(address, { id, version: line.version });
  const day = formatDay(line.publishedAt);
  const badges = stateBadges(line);
  const isHere = line.version === version;
  const link = isHere
    ? html`<a href="${to}" aria-current="page">${line.version}</a>`
    : html`<a href="${to}">${line.version}</a>`;
  return html`<tr>
    <th scope="row">${link} <span class="badges">${badges}</span></th>
    <td><time datetime="${line.publishedAt.toISOString()}">${day}</time></td>
    <td class="number">${formatCount(line.downloads)}</td>
    <td class="number">${formatSize(line.size)}</td>
  </tr>`;
}

function pages(
  { id, version }: PackagePage,
  { number, last }: { readonly number: number; readonly last: number },
  address: PublicAddress,
): Html {
  const to = (page: number) => `${packagePath(address, { id, version })}?versions=${page}#versions`;
  return html`<nav class="pager" aria-label="Pages of versions">
    ${number > 1 && html`<a rel="prev" href="${to(number - 1)}">Newer versions</a>`}
    <span class="soft">Page ${number} of ${last}</span>
    ${number < last && html`<a rel="next" href="${to(number + 1)}">Older versions</a>`}
  </nav>`;
}
