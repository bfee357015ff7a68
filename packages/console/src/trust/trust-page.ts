import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import { documentResponse } from "../kit/document.ts";
import { pageBar } from "../kit/page-bar.ts";
import type { Site } from "../kit/model.ts";
import { pageFoot } from "../kit/page-foot.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { choices, copyable } from "../kit/snippets.ts";
import { imagesPart } from "./image-lines.ts";
import { certificateUrl, installSnippets } from "./install-root.ts";
import type { TrustedCertificate, TrustPage } from "./model.ts";
import { isSelfIssued } from "./model.ts";
import { trustedSigners, trustRepositoryLines } from "./trusted-signers.ts";

/** `GET /trust`: what a client must be told to take our signatures without a warning. */
export function trustPageResponse(
  site: Site,
  address: PublicAddress,
  page: TrustPage,
): Promise<Response> {
  const { certificates, images } = page;
  const body = html`${pageBar(site, address)}
    <main id="content">
      <div class="top">
        <div class="wrap">
          <h1>Trust ${certificates ? "the packages" : "the images"} of ${site.name}</h1>
          <p class="lead">${certificates ? PACKAGES : IMAGES}</p>
        </div>
      </div>
      ${certificates && packagesPart(site, address, { ...page, certificates })}
      ${images === true && imagesPart(address)}
    </main>
    ${pageFoot(site, address)}`;
  return documentResponse({ title: `Trust - ${site.name}`, body, copies: true });
}

const PACKAGES =
  "Every NuGet package leaves this registry with its signature. A client that does not know " +
  "who signed warns with NU3018, and installs. These are the ways to make it know.";
const IMAGES =
  "Every container image that has a tag carries a signature of this registry. These are the ways " +
  "to verify it.";

type SignedPackages = TrustPage & { readonly certificates: readonly TrustedCertificate[] };

function packagesPart(site: Site, address: PublicAddress, page: SignedPackages): Html {
  return page.certificates.length === 0 ? waiting() : told(site, address, page);
}

function waiting(): Html {
  return html`<div class="wrap empty">
    <p>The certificate is made when the first package is signed. Come back then.</p>
  </div>`;
}

function told(site: Site, address: PublicAddress, page: SignedPackages): Html {
  return html`<div class="wrap columns">
    <div class="stack">${configCard(site, address, page)} ${rootCard(address, page)}</div>
    <div class="stack">${certificatesCard(address, page)}</div>
  </div>`;
}

function configCard(site: Site, address: PublicAddress, page: SignedPackages): Html {
  const lines = trustedSigners(page.certificates, site, address);
  return html`<section class="card" aria-labelledby="config">
    <h2 id="config">For a solution: nuget.config</h2>
    <p>
      It travels with the sources, needs no rights on the machine, and is enough where a client is
      set to <code>require</code> signatures.
    </p>
    ${copyable("signers", { label: "Inside <configuration>", lines, kind: "file" })}
    ${copyable("trust", {
      label: "Or have dotnet write it, from any package of this feed",
      lines: trustRepositoryLines(page, site, address),
    })}
    <p class="note">
      As soon as a nuget.config names one trusted signer, the signed packages of every other feed
      need an entry too, nuget.org's among them, or they warn with NU3034. The same line writes it
      from a package that came from there: each lies in the global packages folder.
    </p>
    <p class="note">
      The fingerprint stays in upper case: NuGet compares it letter by letter.
      <code>dotnet nuget trust source</code> writes it in lower case and allows no untrusted root,
      so it is not enough for a certificate that is its own root.
    </p>
  </section>`;
}

function rootCard(address: PublicAddress, { certificates }: SignedPackages): Html {
  const own = certificates.filter(isSelfIssued);
  const issuers = new Set(
    certificates.filter((one) => !isSelfIssued(one)).map(({ issuer }) => issuer),
  );
  return html`<section class="card" aria-labelledby="root">
    <h2 id="root">For a machine: install the root</h2>
    ${[...issuers].map(issuedBy)}
    ${
      own.length > 0 &&
      html`<p>
          Whatever this root signs is then trusted on that machine, from every feed. Compare the
          fingerprint with one that you were told some other way.
        </p>
        ${choices("system", "Kind of system", installSnippets(own, address))}
        <p class="note">
          The .NET SDK on Linux reads neither the system's certificates nor
          <code>SSL_CERT_FILE</code> for signatures, only these lists. A new SDK brings a new list
          of its own: repeat the last step then.
        </p>`
    }
  </section>`;
}

function issuedBy(issuer: string): Html {
  return html`<p class="soft">
    ${issuer} has issued a certificate of this feed. A machine that trusts that authority for code
    signing needs nothing more; for any other, ask the authority for its root certificate.
  </p>`;
}

function certificatesCard(address: PublicAddress, { certificates }: SignedPackages): Html {
  const many = certificates.length > 1;
  return html`<section class="card" aria-labelledby="certificates">
    <h2 id="certificates">${many ? "Certificates" : "Certificate"}</h2>
    ${
      many &&
      html`<p class="soft">
        All of them vouch for packages of this feed; the first has signed most recently.
      </p>`
    }
    ${certificates.map((one) => certificateFacts(one, address))}
  </section>`;
}

function certificateFacts(certificate: TrustedCertificate, address: PublicAddress): Html {
  const { fingerprint, subject, issuer, notBefore, notAfter } = certificate;
  const shown = fingerprint.toUpperCase();
  return html`<dl class="pairs">
      ${pair("Subject", subject)} ${!isSelfIssued(certificate) && pair("Issued by", issuer)}
      ${pair("SHA-256 fingerprint", html`<code>${shown}</code>`)}
      ${pair("Valid", html`${day(notBefore)} to ${day(notAfter)}`)}
    </dl>
    <p>
      <a href="${certificateUrl(certificate, { base: address.root })}" download
        >Download the certificate<span class="unseen"> ${shown.slice(0, 8)}</span></a
      >
    </p>`;
}

function day(at: Date): Html {
  const text = at.toISOString().slice(0, 10);
  return html`<time datetime="${text}">${text}</time>`;
}

function pair(name: string, value: string | Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
