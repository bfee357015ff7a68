import { html } from "hono/html";
import type { Html } from "./document.ts";
import { documentResponse } from "./document.ts";
import { pageFoot } from "./page-foot.ts";
import type { PublicAddress } from "./public-address.ts";
import type { Refusal, Site } from "./model.ts";
import { pageBar } from "./page-bar.ts";

/** The feed's own realm: what a browser was told for one it uses for the other. */
const CHALLENGE = 'Basic realm="Sealhouse", charset="UTF-8"';

/**
 * What somebody sees who may not see the page. A browser asks for a token first, also when the one
 * it has will not do, and shows this when that is declined.
 */
export function refusalPageResponse(
  site: Site,
  address: PublicAddress,
  refusal: Refusal,
): Promise<Response> {
  switch (refusal.status) {
    case "anonymous":
      return signIn(site, address, "Reading here needs a token.");
    case "denied":
      return signIn(site, address, refusal.reason);
    case "limited": {
      const seconds = Math.ceil(refusal.retryAfterSeconds);
      const text = html`<p>
        Too many wrong tokens came from this address. Try again in ${seconds} seconds.
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
      Load this page again and give your token as the password; any user name will do. Whoever runs
      this registry makes tokens: <a href="${address.root}/">the front page</a> says how.
    </p>`;
  const page = { title: "A token is needed", text };
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
