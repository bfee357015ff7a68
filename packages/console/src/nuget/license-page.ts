import { html } from "hono/html";
import { documentResponse } from "../kit/page/document.ts";
import { pageBar, pageFoot } from "../kit/page/page-frame.ts";
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
  const body = html`${pageBar(site, address)}
    <main class="wrap one" id="content">
      <h1>License of ${id} ${version}</h1>
      <p><a href="${back}">Back to the package</a></p>
      ${text}
    </main>
    ${pageFoot(site, address)}`;
  return documentResponse(
    { title: `License of ${id} ${version} - ${site.name}`, body },
    { status: license.status === "none" ? 404 : 200 },
  );
}
