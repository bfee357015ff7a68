import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import { documentResponse } from "../kit/document.ts";
import { formatCount } from "../kit/amounts.ts";
import type { Site } from "../kit/model.ts";
import { pageBar } from "../kit/page-bar.ts";
import { pageFoot } from "../kit/page-foot.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import { deletionPath, formatImage, imagePath, repositoryPath } from "./image-address.ts";
import type { DeletionAnswer, Doomed } from "./model.ts";

/** What the form brings back. */
export const PROOF_FIELD = "proof";

/** `GET …/delete`: what would go, and the form that does it. */
export function deletionPageResponse(
  site: Site,
  address: PublicAddress,
  doomed: Doomed,
): Promise<Response> {
  const { repository, digest, tag, proof } = doomed;
  const reference = tag ?? digest;
  const text = html`${tag === undefined ? manifestText(doomed) : tagText(doomed)}
    <p><code class="long">${formatImage(repository, digest)}</code></p>
    <form method="post" action="${deletionPath(address, repository, reference)}">
      <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
      <p class="buttons">
        <button type="submit" class="bad">
          ${tag === undefined ? "Delete the manifest" : `Delete the tag ${tag}`}
        </button>
        <a href="${imagePath(address, repository, reference)}">Keep it</a>
      </p>
    </form>`;
  const title = tag === undefined ? "Delete this manifest?" : `Delete the tag ${tag}?`;
  return pageResponse(site, address, { title, text });
}

function tagText({ repository, tag = "", tags }: Doomed): Html {
  const after =
    tags.total > 1
      ? html`Its manifest stays: other tags lead to it.`
      : html`Its manifest stays until the garbage collector finds it without a tag.`;
  return html`<p>
    Nobody can pull <code>${formatImage(repository, tag)}</code> any more. ${after}
  </p>`;
}

function manifestText({ repository, tags, attachedTotal, parentCount }: Doomed): Html {
  const hidden = tags.total - tags.names.length;
  const about = html`Signatures, SBOMs and the like that are about it and lose it:
  ${formatCount(attachedTotal)}`;
  return html`<p>
      It goes from <code>${repository}</code> at once, with all its tags. Only a push brings it
      back.
    </p>
    <ul class="plain">
      <li>
        ${tags.total === 0 ? "It has no tag" : "Its tags:"}
        ${tags.names.map((tag, at) => [at > 0 && ", ", html`<code>${tag}</code>`])}
        ${hidden > 0 && `and ${formatCount(hidden)} more`}
      </li>
      ${attachedTotal > 0 && html`<li>${about}</li>`}
      ${
        parentCount > 0 &&
        html`<li>Indexes that list it and will lack it: ${formatCount(parentCount)}</li>`
      }
    </ul>`;
}

type Told = Exclude<
  DeletionAnswer,
  { readonly status: "absent" | "anonymous" | "denied" | "limited" }
>;

/** `POST …/delete`: what came of it. */
export function deletionOutcomeResponse(
  site: Site,
  address: PublicAddress,
  asked: { readonly repository: string; readonly reference: string; readonly outcome: Told },
): Promise<Response> {
  const { repository, reference, outcome } = asked;
  const { title, status, text } = OUTCOMES[outcome.status];
  const why =
    outcome.status === "immutable" &&
    html`<p>The tag <code>${outcome.tag}</code> is kept by the rule ${outcome.rule}.</p>`;
  const back =
    outcome.status === "deleted"
      ? html`<a href="${repositoryPath(address, repository)}">Go to ${repository}</a>`
      : html`<a href="${imagePath(address, repository, reference)}">Go back to it</a>`;
  const body = html`<p><code class="long">${formatImage(repository, reference)}</code></p>
    <p>${text}</p>
    ${why}
    <p>${back}</p>`;
  return pageResponse(site, address, { title, text: body }, status);
}

const OUTCOMES: Readonly<
  Record<Told["status"], { readonly title: string; readonly status: number; readonly text: string }>
> = {
  deleted: { title: "It is deleted", status: 200, text: "Nobody can pull it any more." },
  stale: {
    title: "Nothing was deleted",
    status: 409,
    text: "The page was too old, or it is not what the page showed any more. Look again.",
  },
  immutable: {
    title: "Nothing was deleted",
    status: 409,
    text: "Whoever runs this registry wants it to stay.",
  },
  held: {
    title: "Nothing was deleted",
    status: 403,
    text:
      "It is held, or an index that lists it is: by the operator, or by a copy under way. It " +
      "stays until that is released; sealhouse oci hold list tells the operator who holds what.",
  },
};

function pageResponse(
  site: Site,
  address: PublicAddress,
  { title, text }: { readonly title: string; readonly text: Html },
  status = 200,
): Promise<Response> {
  const body = html`${pageBar(site, address, { of: "oci" })}
    <main class="wrap lost" id="content">
      <h1>${title}</h1>
      ${text}
    </main>
    ${pageFoot(site, address)}`;
  return documentResponse({ title: `${title} - ${site.name}`, body }, { status });
}
