import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { formatRelativeTime } from "../kit/elements/relative-time.ts";
import { formatCount, formatSize } from "../kit/elements/format.ts";
import { contentPath, packagePath } from "../kit/links/nuget-address.ts";
import { externalLink } from "../kit/links/external-link.ts";
import type { PackageLicense, PackagePage, PackageSignature, RepositoryMetadata } from "./model.ts";
import type { Site } from "../kit/page/model.ts";
import { ownerLinks, tagList } from "./related-searches.ts";

const COMMIT_LENGTH = 8;
const FILE_LENGTH_MAX = 30;

/** Renders the facts, links and files of a version. */
export function aboutCards(page: PackagePage, site: Site, address: PublicAddress): Html {
  return html`${factsCard(page, site)} ${linksCard(page, address)} ${signatureCard(page, address)}
  ${detailsCard(page, address)}`;
}

function factsCard(page: PackagePage, { now }: Site): Html {
  const time = page.publishedAt.toISOString();
  const published = html`<time datetime="${time}" title="${time}"
    >${formatRelativeTime(page.publishedAt, now)}</time
  >`;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Facts</h2>
    <dl class="pairs numbers">
      ${pair("Published", published)}
      ${pair("Downloads of all versions", formatCount(page.allDownloads))}
      ${pair("Downloads of this version", formatCount(page.downloads))}
      ${pair("Size", formatSize(page.size))}
    </dl>
  </section>`;
}

function linksCard(page: PackagePage, address: PublicAddress): Html {
  const { projectUrl, repository } = page;
  const file = (kind: "nupkg" | "nuspec", text: string) =>
    html`<li><a href="${contentPath(address, page, kind)}" download>${text}</a></li>`;
  return html`<section class="card" aria-labelledby="links">
    <h2 id="links">Links and files</h2>
    <ul class="plain">
      ${projectUrl !== undefined && html`<li>${externalLink(projectUrl, "Project site")}</li>`}
      ${repository?.url !== undefined && repositoryItem(repository, repository.url)}
      ${page.license && html`<li>${licenseLink(page.license, page, address)}</li>`}
      ${file("nupkg", "Download the package (nupkg)")}
      ${file("nuspec", "Download its manifest (nuspec)")}
    </ul>
  </section>`;
}

function repositoryItem({ branch, commit }: RepositoryMetadata, url: string): Html {
  const short = commit !== undefined && commit.slice(0, COMMIT_LENGTH);
  return html`<li>
    ${externalLink(url.replace(/^git\+(?=https?:)/i, ""), "Source repository")}
    ${branch !== undefined && html`<span class="soft">on ${branch}</span>`}
    ${short && html`<span class="soft">at <code title="${commit}">${short}</code></span>`}
  </li>`;
}

function licenseLink(
  license: PackageLicense,
  { id, version }: PackagePage,
  address: PublicAddress,
): Html {
  switch (license.type) {
    case "expression": {
      const url = `https://licenses.nuget.org/${encodeURIComponent(license.text.toWellFormed())}`;
      return externalLink(url, `${license.text} license`);
    }
    case "file":
      return html`<a href="${packagePath(address, { id, version })}/license"
        >License in the package</a
      >`;
    case "url":
      return externalLink(license.url, "License on the web");
  }
}

function signatureCard(page: PackagePage, address: PublicAddress): Html {
  const { signature } = page;
  return html`<section class="card" aria-labelledby="signature">
    <h2 id="signature">Signature</h2>
    ${
      signature
        ? signed(signature, address)
        : html`<p class="soft">
            This registry has not signed this version. Author signatures are preserved.
          </p>`
    }
    <p>
      <a href="${contentPath(address, page, "provenance")}"
        >Provenance: digests of the file before and after signing</a
      >
    </p>
  </section>`;
}

function signed(
  { fingerprint, subject, signedAt }: PackageSignature,
  { root }: PublicAddress,
): Html {
  const file = encodeURIComponent(fingerprint.toLowerCase().toWellFormed());
  const link = `${root}/v3/certificates/${file}.crt`;
  const time = signedAt.toISOString();
  const minute = `${time.slice(0, 16).replace("T", " ")} UTC`;
  return html`<p>Signed by this registry.</p>
    <dl class="pairs">
      ${subject !== undefined && pair("Certificate", subject)}
      ${pair("Signed", html`<time datetime="${time}">${minute}</time>`)}
    </dl>
    <details>
      <summary>SHA-256 fingerprint</summary>
      <p><code class="long">${fingerprint.toUpperCase()}</code></p>
      <p><a href="${link}" download>Download the certificate</a></p>
    </details>
    <p><a href="${root}/trust">Trust this certificate</a></p>`;
}

function detailsCard(page: PackagePage, address: PublicAddress): Html {
  const { authors, copyright, frameworks, minClientVersion: client } = page;
  const list = html`<ul class="frameworks">
    ${frameworks.slice(0, FILE_LENGTH_MAX).map((framework) => html`<li>${framework}</li>`)}
  </ul>`;
  return html`<section class="card" aria-labelledby="details">
    <h2 id="details">Details</h2>
    <dl class="pairs">
      ${authors !== "" && pair("Authors", authors)}
      ${page.owners.length > 0 && pair("Published by", ownerLinks(page.owners, address))}
      ${frameworks.length > 0 && pair("Target frameworks", list)}
      ${page.tags.length > 0 && pair("Tags", tagList(page.tags, address))}
      ${client !== undefined && pair("Minimum NuGet client", `${client} or newer`)}
      ${copyright !== undefined && pair("Copyright", copyright)}
      ${page.fullVersion !== page.version && pair("Full version", page.fullVersion)}
    </dl>
  </section>`;
}

function pair(name: string, value: string | Html | false): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
