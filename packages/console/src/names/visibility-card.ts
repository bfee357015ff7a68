import { VISIBILITIES } from "@sealhouse/identity";
import type { Visibility } from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { formField } from "../kit/forms/form-fields.ts";
import type { FormField } from "../kit/forms/form-fields.ts";
import { pair } from "../kit/elements/tables.ts";
import type { NameManager } from "./name-manager.ts";
import { taskForm } from "./name-page.ts";
import type { ShownNameForm } from "./shown-form.ts";

const MEANINGS: Readonly<Record<Visibility, string>> = {
  private: "Its owners, members of owning teams, and administrators see it.",
  internal: "Every caller with a valid token or session sees it.",
  public:
    "All callers that may read see it; anonymous callers only where the registry is open to them.",
};

/** The choice of who sees a name. */
export const VISIBILITY_FIELD: FormField = {
  name: "visibility",
  label: "Who sees it",
  kind: { choices: VISIBILITIES.map((value) => ({ value, text: value })) },
};

const SET = { task: "visibility", text: "Set the visibility", tone: "primary" } as const;

/** Renders who sees a name, with the form that changes it. */
export function visibilityCard(
  manager: NameManager,
  visibility: Visibility,
  { values, problems }: ShownNameForm,
): Html {
  const typed = values.get(VISIBILITY_FIELD.name) ?? visibility;
  const shown = new URLSearchParams({ [VISIBILITY_FIELD.name]: typed });
  const fields = formField(VISIBILITY_FIELD, shown, problems);
  return html`<section class="card" aria-labelledby="visibility-title">
    <h2 id="visibility-title">Visibility: ${visibility}</h2>
    <dl class="pairs">${VISIBILITIES.map((value) => pair(value, MEANINGS[value]))}</dl>
    <p class="note">
      A change holds at once. What others read or copied while the name was public stays with them.
    </p>
    ${taskForm(manager, { ...SET, fields })}
  </section>`;
}
