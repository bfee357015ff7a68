import { POLICY_PROVIDERS, PROVIDER_CLAIMS } from "@sealhouse/identity";
import type { PolicyProvider } from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FormField } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { ShownNameForm } from "./shown-form.ts";

/** Field with the build service. */
export const PROVIDER_FIELD = "provider";

/** The form of a new pipeline. */
export type PipelineForm = ShownNameForm & {
  readonly provider: PolicyProvider;
  readonly fields: readonly FormField[];
  /** Path of the form, with the path of the registry. */
  readonly action: string;
  readonly proof: string;
  /** Path of the page that the form belongs to. */
  readonly cancel: string;
};

/** The build service of a request; GitHub Actions without one. */
export function providerIn(values: Pick<URLSearchParams, "get">): PolicyProvider {
  return POLICY_PROVIDERS.find((known) => known === values.get(PROVIDER_FIELD)) ?? "github";
}

/** Renders the form of a new pipeline. */
export function pipelineForm(form: PipelineForm): Html {
  const { provider, fields, values, problems, action, proof, cancel } = form;
  return html`${problems.length > 0 && problemList(problems, fields)}
    <form class="card" method="post" action="${action}" autocomplete="off">
      <h2>${PROVIDER_CLAIMS[provider].label}</h2>
      <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
      <input type="hidden" name="${PROVIDER_FIELD}" value="${provider}" />
      <div class="form two">${fields.map((field) => formField(field, values, problems))}</div>
      <p class="buttons">
        <button type="submit">Add the pipeline</button>
        <a href="${cancel}">Cancel</a>
      </p>
    </form>`;
}
