import { html } from "hono/html";
import { withoutStepUp } from "@sealhouse/identity";
import type { PageVerdict } from "@sealhouse/identity";
import type { Html } from "../page/document.ts";
import { pageResponse } from "../page/page-response.ts";
import type { PublicAddress } from "../page/public-address.ts";
import type { Refusal, Site } from "../page/model.ts";
import { NEEDS_HTTPS, needsHttps, signInPath } from "../page/visitor.ts";

/** Programs may send a token. No browser asks for one by itself. */
const CHALLENGE = 'Bearer realm="Sealhouse"';

/** Renders the page for a refused request, with a link to the page that signs in. */
export function refusalPageResponse(
  site: Site,
  address: PublicAddress,
  refusal: Refusal,
): Promise<Response> {
  switch (refusal.status) {
    case "anonymous":
      return signIn(site, address, refusal.reason ?? "This registry requires a sign-in to read.");
    case "denied":
      return site.visitor?.name === undefined
        ? signIn(site, address, refusal.reason)
        : forbidden(site, address, refusal.reason);
    case "limited": {
      const seconds = Math.ceil(refusal.retryAfterSeconds);
      const text = html`<p>
        Too many failed sign-ins from your address. Try again in ${seconds} seconds.
      </p>`;
      const page = { title: "Too many attempts", text };
      const headers = { "retry-after": String(seconds) };
      return refused(site, address, page, { status: 429, headers });
    }
  }
}

function signIn(site: Site, address: PublicAddress, reason: string): Promise<Response> {
  const next = needsHttps(address)
    ? html`<p>${NEEDS_HTTPS}</p>`
    : html`<p><a class="button" href="${signInPath(site, address)}">Sign in</a></p>`;
  const page = {
    title: "Sign-in required",
    text: html`<p>${reason}</p>
      ${next}`,
  };
  return refused(site, address, page, {
    status: 401,
    headers: { "www-authenticate": CHALLENGE },
  });
}

function forbidden(site: Site, address: PublicAddress, reason: string): Promise<Response> {
  const text = html`<p>${reason}</p>
    <p>
      You are signed in as ${site.visitor?.name}. <a href="${address.root}/account">Sign out</a> to
      use another account.
    </p>`;
  return refused(site, address, { title: "Not allowed", text }, { status: 403, headers: {} });
}

function refused(
  site: Site,
  address: PublicAddress,
  { title, text }: { readonly title: string; readonly text: Html },
  options: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): Promise<Response> {
  const main = html`<main class="wrap lost" id="content">
    <h1>${title}</h1>
    ${text}
  </main>`;
  return pageResponse(site, address, { title, main, bar: { search: false } }, options);
}

/**
 * Returns undefined when the verdict grants access. A hidden name counts as refused; pages of a
 * name look for it before, because they must not differ from those of an unknown name.
 */
export function refusalIn(verdict: PageVerdict): Refusal | undefined {
  const decided = withoutStepUp(verdict);
  if (decided.status === "granted") return undefined;
  return decided.status === "absent" ? { status: "denied", reason: "Unknown name." } : decided;
}

export function isRefusal(answer: { readonly status: string }): answer is Refusal {
  return ["anonymous", "denied", "limited"].includes(answer.status);
}
