import type { ShownGroup, ShownGroupMember } from "@sealhouse/administration";
import { html } from "hono/html";
import { actionNamed, readAction, shownTag } from "../actions/run-action.ts";
import { actionButton, auditLink, formLink, moreLink, pathWith } from "../actions/screen.ts";
import type { AskedScreen, Screen } from "../actions/screen.ts";
import {
  ACTIONS,
  administrationPage,
  GROUPS,
  RELEASES,
  TARGETS,
} from "../administration/administration-page.ts";
import { badge } from "../kit/elements/badges.ts";
import { countOf } from "../kit/elements/format.ts";
import { andMore, table } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { releasePath, releaseState, releaseTable } from "./release-table.ts";

type GroupList = { readonly items: readonly ShownGroup[]; readonly next?: string };
type Members = { readonly items: readonly ShownGroupMember[] };

const PAGE = `${GROUPS}/{name}`;
const SHOWN = 20;
const MEMBERS_SHOWN = 10;
/** Members of the groups of one page whose versions are compared. */
const COMPARED_MAX = 100;
const HEADS = ["Name", "Members", "Targets", "Last release", "Newer versions"];

const listScreen: Screen = {
  path: GROUPS,
  async render({ sources, administrator, query, notice }) {
    const { root } = administrator.address;
    const input = { limit: SHOWN, after: query.get("after") ?? undefined };
    const list = await readAction<GroupList>(sources, administrator, ["groups.list", input]);
    const { items = [], next } = list ?? {};
    let left = COMPARED_MAX;
    const rows: Html[] = [];
    for (const group of items) {
      const { name, members, targets, lastRelease } = group;
      const hasRoom = members.length <= left && members.every((one) => !one.includes("*"));
      left -= hasRoom ? members.length : 0;
      const read = () => readAction<Members>(sources, administrator, ["groups.members", { name }]);
      const found = hasRoom ? await read() : undefined;
      rows.push(
        html`<tr>
          <th scope="row"><a href="${root}${pathWith(PAGE, { name })}">${name}</a></th>
          <td>${shortened(members)}</td>
          <td>${shortened(targets)}</td>
          <td>
            ${
              lastRelease
                ? html`<a href="${root}${releasePath(lastRelease.id)}">${lastRelease.number}</a>
                    ${releaseState(lastRelease.state)}`
                : "Never"
            }
          </td>
          <td>
            ${found ? driftOf(found) : html`<a href="${root}${pathWith(PAGE, { name })}">Look</a>`}
          </td>
        </tr>`,
      );
    }
    const none = html`<p class="soft">
      There are no groups. The packages of a group are released to its targets together.
    </p>`;
    const body = html`${notice}
      <div class="head">
        <p class="soft">Packages that are released together, all or nothing.</p>
        ${formLink(administrator, `${GROUPS}/new`, "Add a group")}
      </div>
      <section class="card" aria-label="Groups">
        ${rows.length === 0 ? none : table("Groups", HEADS.map(headOf), rows)}
        ${moreLink(administrator, { path: GROUPS, query, next })}
      </section>`;
    const page = { title: "Package groups", section: GROUPS, body } as const;
    return administrationPage(administrator, page);
  },
};

const headOf = (text: string) => ({ text });

function shortened(texts: readonly string[]): Html {
  const hidden = texts.length - MEMBERS_SHOWN;
  const more = hidden > 0 ? ` and ${hidden} more` : "";
  return html`<span class="said">${texts.slice(0, MEMBERS_SHOWN).join(", ")}${more}</span>`;
}

function driftOf({ items }: Members): Html | string {
  const newer = items.filter(({ isNew }) => isNew).length;
  const problems = items.filter(({ problem }) => problem !== undefined).length;
  if (problems > 0) return badge(countOf(problems, "problem"), "bad");
  return newer === 0 ? "None" : badge(countOf(newer, "member"), "warn");
}

const oneScreen: Screen = {
  path: PAGE,
  async render(asked) {
    const { sources, administrator, params, notice } = asked;
    const group = await readAction<ShownGroup>(sources, administrator, ["groups.show", params]);
    if (!group) return undefined;
    const body = html`${notice} ${await factsCard(asked, group)} ${await membersCard(asked, group)}
    ${await releasesCard(asked, group)}`;
    const title = `Package group ${group.name}`;
    return administrationPage(administrator, { title, section: GROUPS, body });
  },
};

async function factsCard(
  { sources, administrator }: AskedScreen,
  group: ShownGroup,
): Promise<Html> {
  const { name, members, targets } = group;
  const { root } = administrator.address;
  const path = pathWith(PAGE, { name });
  const tag = shownTag(await actionNamed(sources, "groups.show"), group);
  const removal = {
    path: `${path}/remove`,
    text: "Remove",
    about: name,
    tag,
    tone: "bad",
  } as const;
  const edit = new URLSearchParams({ name, replace: "true" });
  for (const member of members) edit.append("members", member);
  for (const target of targets) edit.append("targets", target);
  const syndication = `${ACTIONS}/syndications.add?group=${encodeURIComponent(name)}`;
  const links = targets.map(
    (target) =>
      html`<li><a href="${root}${pathWith(`${TARGETS}/{target}`, { target })}">${target}</a></li>`,
  );
  return html`<section class="card" aria-labelledby="targets">
    <h2 id="targets">Targets</h2>
    <ul>
      ${links}
    </ul>
    <p class="soft">A release asks the targets first, and shows what it would do.</p>
    <div class="buttons">
      ${formLink(administrator, `${path}/release`, "Release")}
      ${formLink(administrator, syndication, "Publish after each upload")}
      ${formLink(administrator, `${GROUPS}/new?${edit.toString()}`, "Change")}
      ${actionButton(administrator, removal)}
      ${auditLink(administrator, { subject: name, type: "group.*" })}
    </div>
  </section>`;
}

const VERSIONS_SHOWN = 200;

async function membersCard(
  { sources, administrator }: AskedScreen,
  { name }: ShownGroup,
): Promise<Html> {
  const members = await readAction<Members>(sources, administrator, ["groups.members", { name }]);
  const items = members?.items ?? [];
  const shown = items.slice(0, VERSIONS_SHOWN);
  const rows = shown.map((one) => {
    const { member, released, problem, isNew } = one;
    return html`<tr>
      <th scope="row">${one.name}</th>
      <td class="said">${problem ?? versionText(one)} ${isNew && badge("New", "warn")}</td>
      <td>${released ?? "Never"}</td>
      <td class="said">${member}</td>
    </tr>`;
  });
  const heads = ["Package", "A release takes now", "Last released", "Because of"];
  return html`<section class="card" aria-labelledby="members">
    <h2 id="members">${countOf(items.length, "package")}</h2>
    ${
      rows.length > 0
        ? table("Packages of the group", heads.map(headOf), rows)
        : html`<p class="soft">No package fits the members.</p>`
    }
    ${andMore(items.length - shown.length)}
  </section>`;
}

/** The version; the tags of an image, whose version is a digest. */
function versionText({ protocol, version = "", tags = [] }: ShownGroupMember): string {
  return protocol === "oci" ? `${tags.join(", ")} ${version.slice(0, 19)}` : version;
}

const RELEASES_SHOWN = 10;

async function releasesCard(
  { sources, administrator }: AskedScreen,
  { name: group }: ShownGroup,
): Promise<Html> {
  const { releases } = await sources.actions.parts.promotion();
  const newest = await releases.list({ group, limit: RELEASES_SHOWN });
  const query = new URLSearchParams({ group }).toString();
  return html`<section class="card" aria-labelledby="releases">
    <h2 id="releases">Releases</h2>
    ${
      newest.length > 0
        ? releaseTable(administrator, newest)
        : html`<p class="soft">It was never released.</p>`
    }
    <p>
      <a href="${administrator.address.root}${RELEASES}?${query}">All releases of the group</a>
    </p>
  </section>`;
}

/** Packages that are released together. */
export const GROUP_SCREENS: readonly Screen[] = [listScreen, oneScreen];
