import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { formatCount } from "../kit/elements/format.ts";
import type { Site } from "../kit/page/model.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import {
  deletionPath,
  formatImage,
  imagePath,
  repositoryPath,
} from "../kit/links/image-address.ts";
import type { DeletionAnswer, DeletionPreview } from "./model.ts";

/** Renders `GET …/delete`: a preview of the deletion with the confirmation form. */
export function deletionPageResponse(
  site: Site,
  address: PublicAddress,
  preview: DeletionPreview,
): Promise<Response> {
  const { repository, digest, tag, proof } = preview;
  const reference = tag ?? digest;
  const text = html`${tag === undefined ? manifestText(preview) : tagText(preview)}
    <p><code class="long">${formatImage(repository, digest)}</code></p>
    <form method="post" action="${deletionPath(address, repository, reference)}">
      <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
      <p class="buttons">
        <button type="submit" class="bad">
          ${tag === undefined ? "Delete the manifest" : `Delete the tag ${tag}`}
        </button>
        <a href="${imagePath(address, repository, reference)}">Cancel</a>
      </p>
    </form>`;
  const title = tag === undefined ? "Delete this manifest?" : `Delete the tag ${tag}?`;
  return answerPage(site, address, { title, text });
}

function tagText({ repository, tag = "", tags }: DeletionPreview): Html {
  const after =
    tags.total > 1
      ? html`The manifest remains, because other tags point to it.`
      : html`The manifest remains until garbage collection deletes it.`;
  return html`<p>
    Clients can then no longer pull <code>${formatImage(repository, tag)}</code>. ${after}
  </p>`;
}

function manifestText({ repository, tags, attachedTotal, parentCount }: DeletionPreview): Html {
  const hidden = tags.total - tags.names.length;
  const about = html`Signatures, SBOMs and other artifacts that refer to it:
  ${formatCount(attachedTotal)}`;
  return html`<p>
      This immediately deletes the manifest and all its tags from <code>${repository}</code>. Only a
      new push restores it.
    </p>
    <ul class="plain">
      <li>
        ${tags.total === 0 ? "No tags" : "Tags:"}
        ${tags.names.map((tag, index) => [index > 0 && ", ", html`<code>${tag}</code>`])}
        ${hidden > 0 && `and ${formatCount(hidden)} more`}
      </li>
      ${attachedTotal > 0 && html`<li>${about}</li>`}
      ${
        parentCount > 0 &&
        html`<li>Indexes that list it and become incomplete: ${formatCount(parentCount)}</li>`
      }
    </ul>`;
}

type ShownOutcome = Exclude<
  DeletionAnswer,
  { readonly status: "absent" | "anonymous" | "denied" | "limited" | "step-up" }
>;

/** Renders `POST …/delete`: the outcome of the deletion. */
export function deletionOutcomeResponse(
  site: Site,
  address: PublicAddress,
  deletion: {
    readonly repository: string;
    readonly reference: string;
    readonly outcome: ShownOutcome;
  },
): Promise<Response> {
  const { repository, reference, outcome } = deletion;
  const { title, status, text } = OUTCOMES[outcome.status];
  const why =
    outcome.status === "immutable" &&
    html`<p>The tag <code>${outcome.tag}</code> is immutable (rule ${outcome.rule}).</p>`;
  const back =
    outcome.status === "deleted"
      ? html`<a href="${repositoryPath(address, repository)}">Go to ${repository}</a>`
      : html`<a href="${imagePath(address, repository, reference)}">Back to the image</a>`;
  const body = html`<p><code class="long">${formatImage(repository, reference)}</code></p>
    <p>${text}</p>
    ${why}
    <p>${back}</p>`;
  return answerPage(site, address, { title, text: body }, status);
}

const OUTCOMES: Readonly<
  Record<
    ShownOutcome["status"],
    { readonly title: string; readonly status: number; readonly text: string }
  >
> = {
  deleted: { title: "Deleted", status: 200, text: "Clients can no longer pull it." },
  stale: {
    title: "Not deleted",
    status: 409,
    text: "The confirmation has expired, or the image has changed since. Try again.",
  },
  immutable: {
    title: "Not deleted",
    status: 409,
    text: "The operator's rules protect this tag.",
  },
  held: {
    title: "Not deleted",
    status: 403,
    text:
      "A hold protects this digest or an index that lists it. Holds come from the operator or a " +
      "running copy. The operator can list them with sealhouse oci hold list.",
  },
};

function answerPage(
  site: Site,
  address: PublicAddress,
  { title, text }: { readonly title: string; readonly text: Html },
  status = 200,
): Promise<Response> {
  const main = html`<main class="wrap lost" id="content">
    <h1>${title}</h1>
    ${text}
  </main>`;
  return pageResponse(site, address, { title, main, bar: { of: "oci" } }, { status });
}
