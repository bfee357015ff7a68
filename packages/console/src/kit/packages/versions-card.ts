import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import { formatCount, formatDay, formatSize } from "../elements/format.ts";
import { table } from "../elements/tables.ts";
import { stateBadges, tagBadges } from "../elements/badges.ts";
import type { VersionHistory, VersionLine } from "../page/model.ts";

/** Rows of one page of the version history. */
export const VERSIONS_PER_PAGE = 100;
/** Rows that are visible before the reader opens the rest. */
const VERSIONS_OPEN = 10;

export type HistoryPlace = {
  /** The version that the current page shows. */
  readonly version: string;
  readonly pathOf: (version: string) => string;
  /** Column title of the size; default "Size". */
  readonly sizeTitle?: string;
};

/** Renders one page of the version history, newest first. */
export function versionsCard(history: VersionHistory, place: HistoryPlace): Html {
  const { lines, number, last } = history;
  // On a later page, or the page of an old version, all rows are visible.
  const isAtTop = lines.slice(0, VERSIONS_OPEN).some((line) => line.version === place.version);
  const first = number === 1 && isAtTop ? VERSIONS_OPEN : lines.length;
  const rest = lines.slice(first);
  return html`<section class="card" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    ${versionTable(lines.slice(0, first), place, "Versions, newest first")}
    ${
      rest.length > 0 &&
      html`<details>
        <summary>Show ${formatCount(rest.length)} older</summary>
        ${versionTable(rest, place, "Older versions")}
      </details>`
    }
    ${last > 1 && pages(history, place)}
  </section>`;
}

function versionTable(lines: readonly VersionLine[], place: HistoryPlace, caption: string): Html {
  const heads = [
    { text: "Version" },
    { text: "Published" },
    { text: "Downloads", isNumber: true },
    { text: place.sizeTitle ?? "Size", isNumber: true },
  ];
  return table(
    caption,
    heads,
    lines.map((line) => row(line, place)),
  );
}

function row(line: VersionLine, { version, pathOf }: HistoryPlace): Html {
  const to = pathOf(line.version);
  const day = formatDay(line.publishedAt);
  const badges = [...tagBadges(line.tags ?? []), ...stateBadges(line)];
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

function pages({ number, last }: VersionHistory, { version, pathOf }: HistoryPlace): Html {
  const to = (page: number) => `${pathOf(version)}?versions=${page}#versions`;
  return html`<nav class="pager" aria-label="Pages of versions">
    ${number > 1 && html`<a rel="prev" href="${to(number - 1)}">Newer versions</a>`}
    <span class="soft">Page ${number} of ${last}</span>
    ${number < last && html`<a rel="next" href="${to(number + 1)}">Older versions</a>`}
  </nav>`;
}
