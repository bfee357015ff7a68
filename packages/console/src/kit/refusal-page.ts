import { html } from "hono/html";
import type { Html } from "./document.ts";
import { documentResponse } from "./document.ts";
import { pageFoot } from "./page-foot.ts";
import type { PublicAddress } from "./public-address.ts";
import type { Refusal, Site } from "./model.ts";
import { pageBar } from "./page-bar.ts";

/** The realm equals that of the NuGet feed, so that browsers reuse the credentials. */
const CHALLENGE = 'Basic realm="Sealhouse", charset="UTF-8"';

/**
 * Renders the page for a refused request. Browsers first ask for a token, and show this page when
 * the user cancels.
 */
export function refusalPageResponse(
  site: Site,
  address: PublicAddress,
  refusal: Refusal,
): Promise<Response> {
  switch (refusal.status) {
    case "anonymous":
      return signIn(site, address, "This registry requires a token to read.");
    case "denied":
      return signIn(site, address, refusal.reason);
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
  const text = html`<p>${reason}</p>
    <p>
      Reload this page and enter your token as the password, with any user name. The operator of
      this registry creates tokens; <a href="${address.root}/">the front page</a> shows how.
    </p>`;
  const page = { title: "Token required", text };
  return refused(site, address, page, {
    status: 401,
    headers: { "www-authenticate": CHALLENGE },
  });
}

function refused(
  site: Site,
  address: PublicAddress,
  { title, text }: { readonly title: string; readonly text: Html },
  options: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): Promise<Response> {
  const body = html`${pageBar(site, address, { search: false })}
    <main class="wrap lost" id="content">
      <h1>${title}</h1>
      ${text}
    </main>
    ${pageFoot(site, address)}`;
  return documentResponse({ title: `${title} - ${site.name}`, body }, options);
}
