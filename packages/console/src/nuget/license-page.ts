import { html } from "hono/html";
import { pageResponse } from "../kit/page/page-response.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { packagePath } from "../kit/links/nuget-address.ts";
import type { LicenseAnswer } from "./model.ts";
import type { Site } from "../kit/page/model.ts";

type LicenseText = Extract<LicenseAnswer, { readonly status: "found" }>;

/** Renders `GET /packages/{id}/{version}/license`: the license file as plain text. */
export function licensePageResponse(
  site: Site,
  address: PublicAddress,
  { id, version, license }: LicenseText,
): Promise<Response> {
  const back = packagePath(address, { id, version });
  const text =
    license.status === "text"
      ? html`<pre class="card"><code>${license.text}</code></pre>`
      : html`<p class="banner calm">
          ${license.status === "none" ? "This package contains no license file." : license.reason}
        </p>`;
  const main = html`<main class="wrap one" id="content">
    <h1>License of ${id} ${version}</h1>
    <p><a href="${back}">Back to the package</a></p>
    ${text}
  </main>`;
  return pageResponse(
    site,
    address,
    { title: `License of ${id} ${version}`, main, isForReaders: true },
    { status: license.status === "none" ? 404 : 200 },
  );
}
