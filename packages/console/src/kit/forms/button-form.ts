import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import { PROOF_FIELD } from "./page-forms.ts";

/** Renders a form that consists of one button. */
export function buttonForm(form: {
  readonly action: string;
  readonly proof: string;
  readonly text: string;
  readonly tone?: "quiet" | "bad";
  /** Read aloud after the text of the button, because several buttons have the same text. */
  readonly about?: string;
}): Html {
  const { action, proof, text, tone = "quiet", about } = form;
  return html`<form method="post" action="${action}">
    <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
    <button type="submit" class="${tone}">
      ${text}${about !== undefined && html`<span class="unseen"> ${about}</span>`}
    </button>
  </form>`;
}
