import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";

/** Name of the form field with the answer of the browser. */
export const ANSWER = "answer";

/** Paths of the pages that add and remove passkeys. */
export const NEW_PASSKEY = "/account/passkeys/new";
export const START_PASSKEY = "/account/passkeys/start";
export const REMOVE_PASSKEY = "/account/passkeys/remove";

export type PasskeyForm = {
  readonly kind: "create" | "get";
  /** JSON of the browser's request. */
  readonly options: object;
  readonly proof: string;
  /** Path that the form is sent to. */
  readonly action: string;
  readonly title: string;
  readonly button: string;
  /** More fields. */
  readonly fields: Html;
};

/** Renders a form whose script asks for a passkey. Without scripts, its button is disabled. */
export function passkeyForm(form: PasskeyForm): Html {
  return html`<form
    class="card"
    method="post"
    action="${form.action}"
    data-passkey="${form.kind}"
    data-options="${JSON.stringify(form.options)}"
    aria-labelledby="passkey"
  >
    <h2 id="passkey">${form.title}</h2>
    <input type="hidden" name="${PROOF_FIELD}" value="${form.proof}" />
    <input type="hidden" name="${ANSWER}" value="" />
    ${form.fields}
    <p class="buttons"><button type="submit" disabled>${form.button}</button></p>
    <p class="note" role="status"></p>
    <noscript><p class="note">Browsers ask for passkeys only with scripts.</p></noscript>
  </form>`;
}

/** Parses the answer of a browser; undefined when it is not JSON. */
export function answerIn(values: Pick<URLSearchParams, "get">): unknown {
  try {
    return JSON.parse(values.get(ANSWER) ?? "");
  } catch {
    // Not JSON.
    return undefined;
  }
}
