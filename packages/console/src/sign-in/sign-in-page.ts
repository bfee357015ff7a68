import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import { documentResponse } from "../kit/document.ts";
import { pageBar } from "../kit/page-bar.ts";
import type { Site } from "../kit/model.ts";
import { pageFoot } from "../kit/page-foot.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { copyable } from "../kit/snippets.ts";
import type { SignInPage } from "./model.ts";

/** The code, and the commands of the operator. Without `page`, nobody waits with this code. */
export function signInPageResponse(
  site: Site,
  address: PublicAddress,
  page: SignInPage | undefined,
): Promise<Response> {
  const body = html`${pageBar(site, address)}
    <main id="content">
      <div class="top">
        <div class="wrap">
          <h1>${headline(site, page)}</h1>
          <p class="lead">${explanation(page)}</p>
        </div>
      </div>
      ${page?.state === "waiting" && html`<div class="wrap columns">${card(site, page)}</div>`}
    </main>
    ${pageFoot(site, address)}`;
  const status = page ? 200 : 404;
  return documentResponse({ title: `Sign in - ${site.name}`, body, copies: true }, { status });
}

function headline(site: Site, page: SignInPage | undefined): string {
  if (!page) return "This code is not valid";
  switch (page.state) {
    case "waiting":
      return page.purpose === "login" ? `Sign in to ${site.name}` : `Confirm at ${site.name}`;
    case "agreed":
      return "You are signed in";
    case "denied":
      return "The operator refused";
    case "ended":
      return "The code has expired";
  }
}

function explanation(page: SignInPage | undefined): string {
  if (!page) return "The code is mistyped, or has expired. Start again at the command line.";
  switch (page.state) {
    case "waiting":
      return "Your command line waits until the operator of this registry agrees.";
    case "agreed":
      return "Your command line continues by itself. You can close this page.";
    case "denied":
      return "Ask the operator of this registry why, then start again at the command line.";
    case "ended":
      return "The operator did not agree within ten minutes. Start again at the command line.";
  }
}

function card({ command }: Site, page: SignInPage): Html {
  const { code, purpose, until, address } = page;
  const line =
    purpose === "login"
      ? `${command} npm login ${code} --name alice`
      : `${command} npm confirm ${code}`;
  return html`<section class="card" aria-labelledby="code">
    <h2 id="code">Your code: <code>${code}</code></h2>
    <p>
      Give this code to the operator, who runs one of these commands on the machine of the registry:
    </p>
    ${copyable("agree", { label: "To agree", lines: [line] })}
    ${copyable("deny", { label: "To refuse", lines: [`${command} npm deny ${code}`] })}
    <p class="note">
      Operator: agree only to a code that you received from a person you know.
      ${address !== undefined && html`The request came from <code>${address}</code>.`} The code is
      valid until
      <time datetime="${until.toISOString()}">${until.toISOString().slice(11, 16)} UTC</time>.
    </p>
    <p class="note">Reload this page to see the answer.</p>
  </section>`;
}
