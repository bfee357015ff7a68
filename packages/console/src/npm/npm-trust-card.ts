import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { externalLink } from "../kit/links/external-link.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { clipped } from "../kit/elements/format.ts";
import { pair } from "../kit/elements/tables.ts";
import type { NpmPage, NpmProvenance, NpmSignature } from "./model.ts";
import { attestationsPath } from "../kit/links/npm-address.ts";
import { repositoryAddress } from "./repository-address.ts";

const TEXT_LENGTH_MAX = 300;
const STATEMENTS_SHOWN_MAX = 5;

/** Renders the registry signature and the provenance of a version. */
export function npmTrustCards(page: NpmPage, address: PublicAddress): Html {
  return html`<section class="card" aria-labelledby="signature">
      <h2 id="signature">Signature</h2>
      ${signature(page.signature, address)}
      <details>
        <summary>Integrity</summary>
        <p><code class="long">${page.integrity}</code></p>
      </details>
    </section>
    <section class="card" aria-labelledby="provenance">
      <h2 id="provenance">Provenance</h2>
      ${provenance(page, address)}
    </section>`;
}

function signature(signed: NpmSignature, { root }: PublicAddress): Html {
  switch (signed.status) {
    case "signed":
      return html`<p>Signed by this registry; <code>npm audit signatures</code> checks it.</p>
        <dl class="pairs">${pair("Key", html`<code class="long">${signed.keyId}</code>`)}</dl>
        <p><a href="${root}/npm/-/npm/v1/keys">Keys of this registry</a></p>`;
    case "wrong":
      return html`<p><strong>The signature is invalid.</strong></p>`;
    case "unsigned":
      return html`<p class="soft">This registry has not signed this version.</p>`;
    case "off":
      return html`<p class="soft">This registry has no npm signing key.</p>`;
  }
}

function provenance(page: NpmPage, address: PublicAddress): Html {
  const { provenance: statements } = page;
  if (statements.length === 0) {
    return html`<p class="soft">The publisher provided no provenance.</p>`;
  }
  return html`${statements.slice(0, STATEMENTS_SHOWN_MAX).map(statement)}
    <p><a href="${attestationsPath(address, page)}">Complete attestation (JSON)</a></p>`;
}

function statement({ verdict, builder, source, commit, workflow }: NpmProvenance): Html {
  return html`<p class="long">${verdictText(verdict)}</p>
    <dl class="pairs">
      ${source !== undefined && pair("Source repository", sourceLink(source))}
      ${commit !== undefined && pair("Commit", html`<code class="long">${short(commit)}</code>`)}
      ${workflow !== undefined && pair("Workflow", short(workflow))}
      ${builder !== undefined && pair("Builder", externalLink(builder, short(builder)))}
    </dl>`;
}

function sourceLink(source: string): Html {
  const url = repositoryAddress(source.replace(/@refs\/.*$/, ""));
  return url === undefined
    ? html`<span>${short(source)}</span>`
    : externalLink(url, short(url.replace(/^https:\/\//, "")));
}

function verdictText(verdict: NpmProvenance["verdict"]): Html {
  switch (verdict.status) {
    case "verified":
      return html`The attestation's signature, certificate and log entry are valid.`;
    case "unchecked":
      return html`The attestation is about this tarball. Its signer is not verified, because no
      trusted root is configured.`;
    case "refused":
      return html`<strong>Verification failed:</strong> ${short(verdict.reason)}`;
  }
}

function short(text: string): string {
  return clipped(text, TEXT_LENGTH_MAX);
}
