import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import { documentResponse } from "../kit/document.ts";
import { PROOF_FIELD } from "../kit/page-forms.ts";
import { pageBar } from "../kit/page-bar.ts";
import { pageFoot } from "../kit/page-foot.ts";
import { ADMINISTRATION_PAGES } from "../kit/page-paths.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import type { Shown } from "../kit/shown-page.ts";

export const SOURCES = `${ADMINISTRATION_PAGES}/sources`;
export const NEW_SOURCE = `${ADMINISTRATION_PAGES}/new-source`;
export const NAMES = `${ADMINISTRATION_PAGES}/names`;
export const RULES = `${ADMINISTRATION_PAGES}/rules`;
export const NEW_RULE = `${ADMINISTRATION_PAGES}/new-rule`;
export const USERS = `${ADMINISTRATION_PAGES}/users`;
export const TEAMS = `${ADMINISTRATION_PAGES}/teams`;
export const ACCOUNTS = `${ADMINISTRATION_PAGES}/accounts`;

const SECTIONS = [
  [SOURCES, "Package sources"],
  [NAMES, "Names"],
  [RULES, "Rules"],
  [USERS, "Users"],
  [TEAMS, "Teams"],
  [ACCOUNTS, "Service accounts"],
] as const;

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

/** Leads the browser to another page after a change, so that a reload changes nothing. */
export function afterChange({ root }: PublicAddress, path: string, notice: string): Response {
  const location = `${root}${path}?${new URLSearchParams({ notice }).toString()}`;
  const headers = { location, "cache-control": "no-store" };
  return new Response(undefined, { status: 303, headers });
}

/** Renders the outcome of the last change. Only texts of the table are ever shown. */
export function noticeIn(request: Request, texts: Readonly<Record<string, string>>): Html | false {
  const notice = new URL(request.url).searchParams.get("notice") ?? "";
  const text = Object.hasOwn(texts, notice) ? texts[notice] : undefined;
  return text !== undefined && noticeOf(text);
}

export function noticeOf(text: string): Html {
  return html`<p class="banner calm" role="status">${text}</p>`;
}

/** Renders a form that consists of one button. */
export function buttonForm(form: {
  readonly action: string;
  readonly proof: string;
  readonly text: string;
  readonly tone?: "quiet" | "bad";
  /** Read aloud after the text of the button, because several buttons have the same text. */
  readonly about?: string;
}): Html {
  const { action, proof, text, tone = "quiet", about } = form;
  return html`<form method="post" action="${action}">
    <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
    <button type="submit" class="${tone}">
      ${text}${about !== undefined && html`<span class="unseen"> ${about}</span>`}
    </button>
  </form>`;
}
