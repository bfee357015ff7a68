import { html } from "hono/html";
import type { Html } from "./document.ts";
import { pageResponse } from "./page-response.ts";
import type { Shown } from "./shown-page.ts";
import { SIGN_IN } from "./visitor.ts";

export type SessionPage = {
  readonly title: string;
  readonly lead?: string;
  readonly body?: Html;
  readonly status?: number;
  readonly setCookies?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** Renders a page about a sign-in; no cache keeps it. */
export async function sessionPage(
  { site, address }: Pick<Shown, "site" | "address">,
  page: SessionPage,
): Promise<Response> {
  const { title, lead, body, status = 200, setCookies = [], headers = {} } = page;
  const main = html`<main id="content">
    <div class="top">
      <div class="wrap">
        <h1>${title}</h1>
        ${lead !== undefined && html`<p class="lead">${lead}</p>`}
      </div>
    </div>
    ${body && html`<div class="wrap columns one">${body}</div>`}
  </main>`;
  const response = await pageResponse(
    site,
    address,
    { title, main, bar: { search: false } },
    { status, headers },
  );
  for (const cookie of setCookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** Renders a sign-in that failed, with a link to another attempt. */
export function failedPage(shown: Shown, lead: string, status = 400): Promise<Response> {
  const body = html`<p>
    <a class="button" href="${shown.address.root}${SIGN_IN}">Sign in again</a>
  </p>`;
  return sessionPage(shown, { title: "Sign-in failed", lead, body, status });
}

/** Renders a confirmation that failed, with a link to the page that wanted it. */
export function unconfirmedPage(shown: Shown, lead: string, backTo: string): Promise<Response> {
  const body = html`<p><a class="button" href="${shown.address.root}${backTo}">Go back</a></p>`;
  return sessionPage(shown, { title: "Not confirmed", lead, body, status: 403 });
}

/** Renders the refusal of a form that no page of this registry sent. */
export function refusedForm(shown: Shown): Promise<Response> {
  const lead =
    "This form did not come from a page of this registry, is too old, or its cookie is missing. " +
    "Nothing was changed. Open the page again.";
  return sessionPage(shown, { title: "Form refused", lead, status: 403 });
}
