import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { copyable } from "../kit/clients/snippets.ts";

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
