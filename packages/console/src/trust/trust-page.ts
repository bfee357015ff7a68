import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { Site } from "../kit/page/model.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { choices, copyable } from "../kit/clients/snippets.ts";
import { certificateUrl, installSnippets } from "./install-root.ts";
import type { TrustedCertificate, TrustPage } from "./model.ts";
import { isSelfIssued } from "./model.ts";
import { trustedSigners, trustRepositoryLines } from "./trusted-signers.ts";

/** Renders `GET /trust`: the client settings that avoid warnings about the feed's signatures. */
export function trustPageResponse(
  site: Site,
  address: PublicAddress,
  page: TrustPage,
): Promise<Response> {
  const { certificates, images } = page;
  const main = html`<main id="content">
    <div class="top">
      <div class="wrap">
        <h1>Trust ${certificates ? "the packages" : "the images"} of ${site.name}</h1>
        <p class="lead">${certificates ? PACKAGES : IMAGES}</p>
      </div>
    </div>
    ${certificates && packagesPart(site, address, { ...page, certificates })}
    ${images === true && imagesPart(address)}
  </main>`;
  return pageResponse(site, address, { title: "Trust", main, isForReaders: true });
}

const PACKAGES =
  "This registry signs every NuGet package. Clients that do not trust its certificate install " +
  "packages with the warning NU3018. Use one of these ways to trust it.";
const IMAGES =
  "This registry signs every tagged container image. Verify the signatures in one of these ways.";

type SignedPackages = TrustPage & { readonly certificates: readonly TrustedCertificate[] };

function packagesPart(site: Site, address: PublicAddress, page: SignedPackages): Html {
  return page.certificates.length === 0 ? waiting() : renderColumns(site, address, page);
}

function waiting(): Html {
  return html`<div class="wrap empty">
    <p>The certificate is created when the first package is signed.</p>
  </div>`;
}

function renderColumns(site: Site, address: PublicAddress, page: SignedPackages): Html {
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
      This file belongs to the source code and needs no administrator rights. It is sufficient for
      clients that <code>require</code> signatures.
    </p>
    ${copyable("signers", { label: "Inside <configuration>", lines, kind: "file" })}
    ${copyable("trust", {
      label: "Or let dotnet write it, from any package of this feed",
      lines: trustRepositoryLines(page, site, address),
    })}
    <p class="note">
      When nuget.config contains a trusted signer, signed packages of other feeds need an entry too,
      including nuget.org. Otherwise NuGet warns with NU3034. Create it with the same command and a
      package of that feed from the global packages folder.
    </p>
    <p class="note">
      Keep the fingerprint in upper case, because NuGet compares it case-sensitively.
      <code>dotnet nuget trust source</code> writes lower case and does not allow untrusted roots.
      It does not work for self-signed certificates.
    </p>
  </section>`;
}

function rootCard(address: PublicAddress, { certificates }: SignedPackages): Html {
  const own = certificates.filter(isSelfIssued);
  const issuers = new Set(
    certificates.filter((certificate) => !isSelfIssued(certificate)).map(({ issuer }) => issuer),
  );
  return html`<section class="card" aria-labelledby="root">
    <h2 id="root">For a machine: install the root</h2>
    ${[...issuers].map(issuedBy)}
    ${
      own.length > 0 &&
      html`<p>
          The machine then trusts everything that this root signs, from every feed. First compare
          the fingerprint with one from another source, such as the operator.
        </p>
        ${choices("system", "Kind of system", installSnippets(own, address))}
        <p class="note">
          The .NET SDK on Linux reads neither the system's certificates nor
          <code>SSL_CERT_FILE</code> for signatures, only these lists. Each SDK contains its own
          list: repeat the last step after an update.
        </p>`
    }
  </section>`;
}

function issuedBy(issuer: string): Html {
  return html`<p class="soft">
    ${issuer} issued a certificate of this feed. Machines that trust this certificate authority for
    code signing need no setup. For other machines, get its root certificate from the authority.
  </p>`;
}

function certificatesCard(address: PublicAddress, { certificates }: SignedPackages): Html {
  const many = certificates.length > 1;
  return html`<section class="card" aria-labelledby="certificates">
    <h2 id="certificates">${many ? "Certificates" : "Certificate"}</h2>
    ${
      many &&
      html`<p class="soft">
        Packages of this feed have signatures by each of them. The first is the most recent.
      </p>`
    }
    ${certificates.map((certificate) => certificateFacts(certificate, address))}
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

function day(time: Date): Html {
  const text = time.toISOString().slice(0, 10);
  return html`<time datetime="${text}">${text}</time>`;
}

function pair(name: string, value: string | Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** Renders instructions to verify the registry's images. */
export function imagesPart({ base, host }: PublicAddress): Html {
  const keys = `${base}/trust/images`;
  const image = `${host}/team/app:1.0`;
  return html`<div class="wrap columns">
    <section class="card" aria-labelledby="images">
      <h2 id="images">For container images</h2>
      <p>
        This registry signs images when a tag is pushed. The signature proves that an image is
        unchanged. First compare the key with one from another source, such as the operator.
      </p>
      ${copyable("cosign", {
        label: "With cosign",
        lines: [
          `curl -fsSO ${keys}/cosign.pub`,
          `cosign verify --key cosign.pub --private-infrastructure ${image}`,
        ],
      })}
      ${copyable("notation", {
        label: "With notation, and a trust policy for ca:sealhouse",
        lines: [
          `curl -fsSO ${keys}/notation.pem`,
          "notation cert add --type ca --store sealhouse notation.pem",
          `notation verify ${image}`,
        ],
      })}
    </section>
  </div>`;
}
