import { html } from "hono/html";
import { pathWith } from "../actions/screen.ts";
import { RELEASES } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { badge } from "../kit/elements/badges.ts";
import { table, timeAgo } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";

/** A release as lists show it; times are dates or texts. */
export type RowOfRelease = {
  readonly id: string;
  readonly number: number;
  readonly group: string;
  readonly state: string;
  readonly targets: readonly string[];
  readonly actor: string;
  readonly createdAt: Date | string;
  readonly reason?: string | undefined;
};

const STATES: Readonly<Record<string, readonly [string, "calm" | "warn" | "bad" | "kind"]>> = {
  released: ["Released", "kind"],
  failed: ["Failed", "bad"],
  "rolled-back": ["Taken back", "warn"],
  undoing: ["Is taken back", "warn"],
};

/** The state of a release as a badge. */
export function releaseState(state: string): Html {
  const [text, tone] = STATES[state] ?? [`Runs: ${state}`, "calm"];
  return badge(text, tone);
}

/** Path of the page of a release. */
export function releasePath(id: string): string {
  return pathWith(`${RELEASES}/{id}`, { id });
}

/** Renders releases, newest first. */
export function releaseTable(
  { site, address }: Administrator,
  releases: readonly RowOfRelease[],
): Html {
  const rows = releases.map(
    (release) =>
      html`<tr>
        <th scope="row">
          <a href="${address.root}${releasePath(release.id)}">${release.group} ${release.number}</a>
        </th>
        <td>${releaseState(release.state)}</td>
        <td>${release.targets.join(", ")}</td>
        <td>${timeAgo(new Date(release.createdAt), site.now)}</td>
        <td class="said">${release.actor}</td>
        <td class="said">${release.reason ?? ""}</td>
      </tr>`,
  );
  const heads = ["Release", "State", "Targets", "Started", "By", "Reason"];
  return table(
    "Releases",
    heads.map((text) => ({ text })),
    rows,
  );
}
