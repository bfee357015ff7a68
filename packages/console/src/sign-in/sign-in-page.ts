import { html } from "hono/html";
import type { Html } from "../document.ts";
import { documentResponse } from "../document.ts";
import { pageBar } from "../packages/page-bar.ts";
import type { Site } from "../packages/model.ts";
import { pageFoot } from "../page-foot.ts";
import type { PublicAddress } from "../public-address.ts";
import { copyable } from "../snippets.ts";
import type { SignInPage } from "./model.ts";

/** The code, and what the operator does with it. Without a page there is nobody waiting. */
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
      ${page?.state === "waiting" && html`<div class="wrap">${card(page)}</div>`}
    </main>
    ${pageFoot(site, address)}`;
  const status = page ? 200 : 404;
  return documentResponse({ title: `Sign in - ${site.name}`, body, copies: true }, { status });
}

function headline(site: Site, page: SignInPage | undefined): string {
  if (!page) return "Nobody is waiting";
  switch (page.state) {
    case "waiting":
      return page.purpose === "login" ? `Sign in to ${site.name}` : `Confirm at ${site.name}`;
    case "agreed":
      return "It is agreed";
    case "denied":
      return "It was refused";
    case "ended":
      return "Its time is over";
  }
}

function explanation(page: SignInPage | undefined): string {
  if (!page) return "This code is mistyped, or its time is over. Begin again at the command line.";
  switch (page.state) {
    case "waiting":
      return "Your command line waits until the operator of this registry agrees.";
    case "agreed":
      return "Go back to your command line, which goes on by itself. You may close this page.";
    case "denied":
      return "The operator of this registry refused. Ask why, then begin again.";
    case "ended":
      return "Nobody agreed within ten minutes. Begin again at the command line.";
  }
}

function card(page: SignInPage): Html {
  const { code, purpose, until, address } = page;
  const line =
    purpose === "login"
      ? `sealhouse npm login ${code} --name alice`
      : `sealhouse npm confirm ${code}`;
  return html`<section class="card" aria-labelledby="code">
    <h2 id="code">Your code: <code>${code}</code></h2>
    <p>Give it to the operator, who types it where the registry runs.</p>
    ${copyable("agree", { label: "To agree", lines: [line] })}
    ${copyable("deny", { label: "To refuse", lines: [`sealhouse npm deny ${code}`] })}
    <p class="note">
      Agree only to a code that somebody you know tells you.
      ${address !== undefined && html`It was asked for from <code>${address}</code>.`} It is good
      until <time datetime="${until.toISOString()}">${until.toISOString().slice(11, 16)} UTC</time>.
    </p>
    <p class="note">Reload this page to see what became of it.</p>
  </section>`;
}
