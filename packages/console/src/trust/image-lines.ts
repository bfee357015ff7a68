import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { copyable } from "../kit/snippets.ts";

/** How clients verify the images of this registry. */
export function imagesPart({ base, host }: PublicAddress): Html {
  const keys = `${base}/trust/images`;
  const image = `${host}/team/app:1.0`;
  return html`<div class="wrap columns">
    <section class="card" aria-labelledby="images">
      <h2 id="images">For container images</h2>
      <p>
        Images are signed when they are tagged. The signature says that they came out of this
        registry as they are; compare the key with one that you were told some other way.
      </p>
      ${copyable("cosign", {
        label: "With cosign",
        lines: [
          `curl -fsSO ${keys}/cosign.pub`,
          `cosign verify --key cosign.pub --private-infrastructure ${image}`,
        ],
      })}
      ${copyable("notation", {
        label: "With notation, and a trust policy that names ca:sealhouse",
        lines: [
          `curl -fsSO ${keys}/notation.pem`,
          "notation cert add --type ca --store sealhouse notation.pem",
          `notation verify ${image}`,
        ],
      })}
    </section>
  </div>`;
}
