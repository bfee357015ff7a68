import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { documentResponse } from "../kit/page/document.ts";
import { pageBar, pageFoot } from "../kit/page/page-frame.ts";
import { ADMINISTRATION_PAGES } from "../kit/page/page-paths.ts";
import type { Shown } from "../kit/page/shown-page.ts";

export const SOURCES = `${ADMINISTRATION_PAGES}/sources`;
export const NEW_SOURCE = `${ADMINISTRATION_PAGES}/new-source`;
export const NAMES = `${ADMINISTRATION_PAGES}/names`;
export const RULES = `${ADMINISTRATION_PAGES}/rules`;
export const NEW_RULE = `${ADMINISTRATION_PAGES}/new-rule`;
export const USERS = `${ADMINISTRATION_PAGES}/users`;
export const TEAMS = `${ADMINISTRATION_PAGES}/teams`;
export const ACTIONS = `${ADMINISTRATION_PAGES}/actions`;
export const ACCOUNTS = `${ADMINISTRATION_PAGES}/accounts`;

const SECTIONS = [
  [SOURCES, "Package sources"],
  [NAMES, "Names"],
  [RULES, "Rules"],
  [USERS, "Users"],
  [TEAMS, "Teams"],
  [ACCOUNTS, "Service accounts"],
  [`${ACTIONS}/tokens.list`, "API keys"],
  [`${ACTIONS}/targets.list`, "Publish targets"],
  [`${ACTIONS}/groups.list`, "Package groups"],
  [`${ACTIONS}/releases.list`, "Releases"],
  [`${ACTIONS}/webhooks.list`, "Webhooks"],
  [`${ACTIONS}/audit.list`, "Audit log"],
  [`${ACTIONS}/jobs.list`, "Jobs"],
  [ACTIONS, "All actions"],
] as const;

/** The section of the page of an action. */
export function sectionOfAction(id: string): (typeof SECTIONS)[number][0] {
  const [found] = SECTIONS.find(([path]) => path === `${ACTIONS}/${id}`) ?? [];
  return found ?? ACTIONS;
}

export type AdministrationPage = {
  readonly title: string;
  readonly body: Html;
  /** The section that the page belongs to; default none. */
  readonly section?: (typeof SECTIONS)[number][0];
};

/** Renders a page with the navigation of the administration. */
export function administrationPage(
  { site, address }: Pick<Shown, "site" | "address">,
  { title, body, section }: AdministrationPage,
  status = 200,
): Promise<Response> {
  const links = SECTIONS.map(([path, text]) => {
    const current = path === section && html`aria-current="true"`;
    return html`<a href="${address.root}${path}" ${current}>${text}</a> `;
  });
  const page = html`${pageBar(site, address, { search: false })}
    <main id="content">
      <div class="top">
        <div class="wrap">
          <h1>${title}</h1>
          <nav class="sections" aria-label="Administration">${links}</nav>
        </div>
      </div>
      <div class="wrap columns one">${body}</div>
    </main>
    ${pageFoot(site, address)}`;
  return documentResponse({ title: `${title} - ${site.name}`, body: page }, { status });
}

/** Path of the page of a team, or of a form on it, without the path of the registry. */
export function teamPath(handle: string, action?: "change" | "members"): string {
  const path = `${TEAMS}/${encodeURIComponent(handle)}`;
  return action === undefined ? path : `${path}/${action}`;
}

/** Path of the page of a source, without the path of the registry. */
export function sourcePath(
  name: string,
  action?: "enable" | "disable" | "remove" | "test",
): string {
  const path = `${SOURCES}/${encodeURIComponent(name)}`;
  return action === undefined ? path : `${path}/${action}`;
}
