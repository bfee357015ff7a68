import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import { ADMINISTRATION_PAGES, AUDIT, auditPath } from "../kit/page/page-paths.ts";
import type { Shown } from "../kit/page/shown-page.ts";

export const OVERVIEW = ADMINISTRATION_PAGES;
export const SOURCES = `${ADMINISTRATION_PAGES}/package-sources`;
export const NEW_SOURCE = `${SOURCES}/new`;
export const NAMES = `${ADMINISTRATION_PAGES}/names`;
export const RULES = `${ADMINISTRATION_PAGES}/rules`;
export const USERS = `${ADMINISTRATION_PAGES}/users`;
export const TEAMS = `${ADMINISTRATION_PAGES}/teams`;
export const ACTIONS = `${ADMINISTRATION_PAGES}/actions`;
export const API_KEYS = `${ADMINISTRATION_PAGES}/api-keys`;
export const TARGETS = `${ADMINISTRATION_PAGES}/publish-targets`;
export const GROUPS = `${ADMINISTRATION_PAGES}/package-groups`;
export const RELEASES = `${ADMINISTRATION_PAGES}/releases`;
export const ACCOUNTS = `${ADMINISTRATION_PAGES}/accounts`;

/** Path, text and group of each section. */
const SECTIONS = [
  [OVERVIEW, "Overview", ""],
  [AUDIT, "Audit log", ""],
  [`${ACTIONS}/jobs.list`, "Jobs", ""],
  [NAMES, "Names", "Content"],
  [RULES, "Rules", "Content"],
  [USERS, "Users", "Access"],
  [TEAMS, "Teams", "Access"],
  [ACCOUNTS, "Service accounts", "Access"],
  [API_KEYS, "API keys", "Access"],
  [SOURCES, "Package sources", "Exchange"],
  [TARGETS, "Publish targets", "Exchange"],
  [GROUPS, "Package groups", "Exchange"],
  [RELEASES, "Releases", "Exchange"],
  [`${ACTIONS}/webhooks.list`, "Webhooks", "Exchange"],
  [`${ACTIONS}/signing.list`, "Signing", "Registry"],
  [`${ACTIONS}/vulnerabilities.list`, "Vulnerabilities", "Registry"],
  [`${ACTIONS}/mail.list`, "Mail", "Registry"],
  [`${ACTIONS}/schedule.list`, "Regular jobs", "Registry"],
  [`${ACTIONS}/config.show`, "Settings", "Registry"],
  [`${ACTIONS}/config.health`, "Health", "Registry"],
  [ACTIONS, "All actions", "Registry"],
] as const;

export type Section = (typeof SECTIONS)[number][0];

/** The section that a path belongs to. */
export function sectionOf(path: string): Section | undefined {
  // The overview is above all other paths.
  const sections = SECTIONS.filter(([of]) => of !== OVERVIEW);
  const [found] = sections.find(([of]) => path === of || path.startsWith(`${of}/`)) ?? [];
  return found;
}

export type AdministrationPage = {
  readonly title: string;
  readonly body: Html;
  /** The section that the page belongs to; default none. */
  readonly section?: Section | undefined;
  /** Filters of the audit log that have the records of the object of the page. */
  readonly audit?: Readonly<Record<string, string>>;
};

/** Renders a page with the navigation of the administration. */
export function administrationPage(
  { site, address }: Pick<Shown, "site" | "address">,
  { title, body, section, audit }: AdministrationPage,
  status = 200,
): Promise<Response> {
  const main = html`<main id="content">
    <div class="wrap columns admin">
      <nav class="side" id="sections" aria-label="Administration">
        ${[...Map.groupBy(SECTIONS, ([, , group]) => group)].map(
          ([group, sections]) =>
            html`${group !== "" && html`<h2>${group}</h2>`}
            ${sections.map(([path, text]) => {
              const current = path === section && html`aria-current="true"`;
              return html`<a href="${address.root}${path}" ${current}>${text}</a> `;
            })}`,
        )}
      </nav>
      <div class="stack">
        <p class="jump"><a href="#sections">All sections</a></p>
        <div class="head">
          <h1>${title}</h1>
          ${audit && html`<a href="${address.root}${auditPath(audit)}">Audit log</a>`}
        </div>
        ${body}
      </div>
    </div>
  </main>`;
  return pageResponse(site, address, { title, main, bar: { search: false } }, { status });
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
