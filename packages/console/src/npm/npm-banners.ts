import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { severityName } from "../kit/elements/badges.ts";
import { withheldBanner } from "../kit/packages/withheld-versions.ts";
import { externalLink } from "../kit/links/external-link.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { clipped } from "../kit/elements/format.ts";
import type { NpmPage, NpmPageAdvisory } from "./model.ts";
import { npmPackagePath } from "../kit/links/npm-address.ts";

const SAID_LENGTH_MAX = 2_000;
const TEXT_LENGTH_MAX = 300;
const ADVISORIES_SHOWN_MAX = 20;

/** Renders warnings about the version, most severe first. */
export function npmBanners(page: NpmPage, address: PublicAddress): Html {
  const { advisories, deprecated, installScripts, signature, withheld = [] } = page;
  const why = withheld.find(({ version }) => version === page.version);
  return html`${why && withheldBanner(why)} ${advisories.length > 0 && vulnerable(advisories)}
  ${signature.status === "wrong" && wrongSignature()}
  ${deprecated !== undefined && deprecation(deprecated)}
  ${installScripts.length > 0 && scripts(installScripts)} ${elsewhere(page, address)}`;
}

function vulnerable(advisories: readonly NpmPageAdvisory[]): Html {
  const sorted = advisories.toSorted((advisory, other) => other.severity - advisory.severity);
  const hidden = sorted.length - ADVISORIES_SHOWN_MAX;
  const item = ({ severity, url, versions, advisoryId, title }: NpmPageAdvisory) =>
    html`<li>
      <strong>${severityName(severity)}</strong> severity:
      ${externalLink(url, clipped(title || (advisoryId ?? url), TEXT_LENGTH_MAX))}, versions
      ${clipped(versions, TEXT_LENGTH_MAX)}
    </li>`;
  return html`<section class="banner bad" aria-labelledby="vulnerable">
    <h2 id="vulnerable">This version has known vulnerabilities</h2>
    <ul>
      ${sorted.slice(0, ADVISORIES_SHOWN_MAX).map(item)}
      ${hidden > 0 && html`<li>and ${hidden} more</li>`}
    </ul>
  </section>`;
}

function wrongSignature(): Html {
  return html`<section class="banner bad" aria-labelledby="wrong-signature">
    <h2 id="wrong-signature">The signature of this version is invalid</h2>
    <p>It matches no key of this registry. Do not install this version; inform the operator.</p>
  </section>`;
}

function deprecation(message: string): Html {
  return html`<section class="banner warn" aria-labelledby="deprecated">
    <h2 id="deprecated">This version is deprecated</h2>
    <p class="said">${clipped(message, SAID_LENGTH_MAX)}</p>
  </section>`;
}

function scripts(names: readonly string[]): Html {
  return html`<p class="banner calm">
    Runs ${names.length === 1 ? "a script" : "scripts"} during installation if the client allows it:
    ${names.map((name, index) => [index > 0 && ", ", html`<code>${name}</code>`])}.
  </p>`;
}

/** `latest` is the version that clients install by default. */
function elsewhere({ name, version, tags }: NpmPage, address: PublicAddress): Html | false {
  const latest = tags.find(({ tag }) => tag === "latest")?.version;
  if (latest === undefined || latest === version) return false;
  return html`<p class="banner calm">
    <code>latest</code> points to another version:
    <a href="${npmPackagePath(address, { name, version: latest })}">${latest}</a>.
  </p>`;
}
