import type { Protocol } from "@sealhouse/request-types";
import { html } from "hono/html";
import { wrapName } from "../kit/elements/format.ts";
import type { Guide, Step } from "./guides.ts";
import { guideFor, makeTokenLine } from "./guides.ts";
import { TOKEN_PLACEHOLDER } from "../kit/clients/client-lines.ts";
import type { Html } from "../kit/page/document.ts";
import type { FrontPageModel, SigningCertificate } from "./model.ts";
import type { LatestPackage } from "../kit/page/model.ts";
import { imagePath } from "../kit/links/image-address.ts";
import { IMAGE_PAGES, NPM_PAGES } from "../kit/page/page-paths.ts";
import { npmPackagePath } from "../kit/links/npm-address.ts";
import { packagePath } from "../kit/links/nuget-address.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { formatRelativeTime } from "../kit/elements/relative-time.ts";
import { copyable } from "../kit/clients/snippets.ts";

const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  nuget: "NuGet",
  npm: "npm",
  oci: "Image",
};

const SEARCHES = [
  ["nuget", "/packages", "NuGet"],
  ["npm", NPM_PAGES, "npm"],
  ["oci", IMAGE_PAGES, "Images"],
] as const satisfies readonly (readonly [Protocol, string, string])[];

/** Renders the page at `/`: facts, client instructions, search and latest packages. */
export function frontPageResponse(model: FrontPageModel, address: PublicAddress) {
  const guides = model.protocols.map((protocol) => guideFor(protocol, address, model));
  const main = html`<main id="content">
    ${pageHead(model, guides)}
    <div class="wrap columns">
      <div class="stack" id="connect">${tokenCard(model, address)} ${guides.map(guideCard)}</div>
      <div class="stack">
        ${searchCard(model, address)} ${latestCard(model, address)} ${signingCard(model, address)}
      </div>
    </div>
  </main>`;
  const page = { title: "Packages and images", main, bar: { search: false }, isForReaders: true };
  return pageResponse(model, address, page);
}

function pageHead(model: FrontPageModel, guides: readonly Guide[]): Html {
  const reading = model.anonymousRead ? "Public read access" : "Token required to read";
  return html`<div class="top">
    <div class="wrap">
      <h1>${model.name}</h1>
      <p class="lead">
        A package registry. Copy the commands below, and replace <code>${TOKEN_PLACEHOLDER}</code>
        with your token.
      </p>
      <ul class="facts" aria-label="What this registry serves">
        ${guides.map((guide) => html`<li class="on">${guide.title}</li>`)}
        <li>${reading}</li>
        <li>${model.signing ? "NuGet packages are signed" : "Signing is disabled"}</li>
      </ul>
    </div>
  </div>`;
}

/** The command is for a person at the machine; others create tokens in the browser. */
function tokenCard(model: FrontPageModel, { root }: PublicAddress): Html {
  const { command, isOnHost = false, visitor } = model;
  if (isOnHost) return commandCard(command);
  const link =
    visitor?.name === undefined
      ? html`<a href="${root}/sign-in?returnUrl=%2Faccount%2Ftokens">Sign in</a> to create one.`
      : html`<a href="${root}/account/tokens">Your API tokens</a>`;
  return html`<section class="card" aria-labelledby="token">
    <h2 id="token">Create a token</h2>
    <p>Publishing requires a token. ${link}</p>
  </section>`;
}

function commandCard(command: string): Html {
  return html`<section class="card" aria-labelledby="token">
    <h2 id="token">Create a token</h2>
    <p>Publishing requires a token. Run this on the registry's machine; the token is shown once:</p>
    ${copyable("token", { label: "Create a token", lines: [makeTokenLine(command)] })}
    <p class="note">
      Run it in the registry's folder, as its user and with its environment variables. It prints the
      database that it writes to, and warns when a running registry does not accept the token.
    </p>
  </section>`;
}

/** One text field for all protocols; each button submits it to the search page of one protocol. */
function searchCard({ protocols }: FrontPageModel, { root }: PublicAddress): Html {
  const pages = SEARCHES.filter(([protocol]) => protocols.includes(protocol));
  return html`<form class="card" action="${root}/packages" role="search">
    <h2><label for="search">Search packages and images</label></h2>
    <input id="search" type="search" name="q" maxlength="256" autocomplete="off" />
    <p class="buttons">
      ${pages.map(
        ([, path, text]) =>
          html`<button type="submit" formaction="${root}${path}">${text}</button> `,
      )}
    </p>
  </form>`;
}

function guideCard(guide: Guide): Html {
  const heading = `guide-${guide.protocol}`;
  return html`<section class="card guide ${guide.protocol}" aria-labelledby="${heading}">
    <h2 id="${heading}">${guide.title}</h2>
    <p class="address"><code>${guide.address}</code></p>
    <ol class="steps">
      ${guide.steps.map((step, index) => stepItem(step, `${guide.protocol}-${index}`))}
    </ol>
  </section>`;
}

function stepItem({ title, lines, note }: Step, key: string): Html {
  return html`<li>
    ${copyable(key, { label: title, lines })}
    ${note !== undefined && html`<p class="note">${note}</p>`}
  </li>`;
}

function latestCard(model: FrontPageModel, address: PublicAddress): Html {
  const { latest, now } = model;
  const list = (all: readonly LatestPackage[]) =>
    html`<ul class="packages">
      ${all.map((latestPackage) => packageItem(latestPackage, now, address))}
    </ul>`;
  return html`<section class="card" aria-labelledby="latest">
    <h2 id="latest">Recently published</h2>
    ${latest === undefined && signIn(address)}
    ${latest?.length === 0 && html`<p class="soft">No packages yet.</p>`}
    ${latest !== undefined && latest.length > 0 && list(latest)}
  </section>`;
}

function signIn({ root }: PublicAddress): Html {
  return html`<p class="soft">
    A token or an account is required to read. <a href="${root}/sign-in">Sign in</a> with either.
  </p>`;
}

function packageItem(latestPackage: LatestPackage, now: Date, address: PublicAddress): Html {
  const { protocol, name, version, publishedAt } = latestPackage;
  const time = publishedAt.toISOString();
  const page = pageOf(latestPackage, address);
  return html`<li>
    <span>
      <span class="name"><a href="${page}">${wrapName(name)}</a></span>
      <span class="version" title="${version}">${shortVersion(version)}</span>
    </span>
    <span class="tag ${protocol}">${PROTOCOL_NAMES[protocol]}</span>
    <time datetime="${time}" title="${time}">${formatRelativeTime(publishedAt, now)}</time>
  </li>`;
}

function pageOf({ protocol, name, version }: LatestPackage, address: PublicAddress): string {
  switch (protocol) {
    case "nuget":
      return packagePath(address, { id: name, version });
    case "npm":
      return npmPackagePath(address, { name, version });
    case "oci":
      return imagePath(address, name, version);
  }
}

/** Shortens digests for display. */
function shortVersion(version: string): string {
  return version.startsWith("sha256:") ? `${version.slice(0, 19)}…` : version;
}

function signingCard(model: FrontPageModel, address: PublicAddress): Html {
  const { signing } = model;
  const off = html`<p class="soft">
    Disabled. Packages keep the signatures they were pushed with.
  </p>`;
  const waiting = html`<p class="soft">
    Enabled. The certificate is created when the first package is signed.
  </p>`;
  const state = signing ? waiting : off;
  return html`<section class="card" aria-labelledby="signing">
    <h2 id="signing">Package signing</h2>
    ${signing?.certificate ? certificateFacts(signing.certificate, address) : state}
  </section>`;
}

function certificateFacts(certificate: SigningCertificate, { base, root }: PublicAddress): Html {
  const fingerprint = certificate.fingerprint.toUpperCase();
  const link = `${base}/v3/certificates/${certificate.fingerprint.toLowerCase()}.crt`;
  const until = certificate.notAfter.toISOString().slice(0, 10);
  return html`<p>All NuGet packages are signed with this certificate.</p>
    <dl class="pairs">
      <div>
        <dt>Subject</dt>
        <dd>${certificate.subject}</dd>
      </div>
      <div>
        <dt>SHA-256 fingerprint</dt>
        <dd><code>${fingerprint}</code></dd>
      </div>
      <div>
        <dt>Valid until</dt>
        <dd><time datetime="${until}">${until}</time></dd>
      </div>
    </dl>
    <p><a href="${root}/trust">Trust this certificate</a></p>
    <p><a href="${link}">Download the certificate</a></p>`;
}
