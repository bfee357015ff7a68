import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import { PROOF_FIELD } from "./page-forms.ts";

/** A field of a form; `name` is unique on the page. */
export type FormField = {
  readonly name: string;
  readonly label: string;
  readonly kind:
    | "text"
    | "url"
    | "password"
    | "date"
    /** One value per line. */
    | "lines"
    | "checkbox"
    | { readonly choices: readonly Choice[] }
    /** A box for each value; the value has those that are ticked, with commas. */
    | { readonly boxes: readonly Choice[] };
  readonly help?: string;
  readonly lengthMax?: number;
  readonly isRequired?: boolean;
};

/** A value of a field that is chosen from a list. */
export type Choice = { readonly value: string; readonly text: string };

/** Texts that a person typed, by field. */
export type FormValues = Pick<URLSearchParams, "get">;

/** A problem with a field. `words` follow its label, such as `is required`. */
export type FieldProblem = { readonly name: string; readonly words: string };

const ROWS = 3;
const LENGTH_MAX = 2_000;

/** Renders a field with its label, its help and its problem. */
export function formField(
  field: FormField,
  values: FormValues,
  problems: readonly FieldProblem[],
): Html {
  const { name, help } = field;
  const own = problems.filter((problem) => problem.name === name);
  const described = [
    ...(own.length > 0 ? [`${name}-problem`] : []),
    ...(help === undefined ? [] : [`${name}-help`]),
  ].join(" ");
  const state = {
    value: values.get(name) ?? "",
    describedBy: described !== "" && html`aria-describedby="${described}"`,
    invalid: own.length > 0 && html`aria-invalid="true"`,
  };
  const note = help !== undefined && html`<p class="note" id="${name}-help">${help}</p>`;
  const problem =
    own.length > 0 &&
    html`<p class="problem" id="${name}-problem">
      ${own.map(({ words }) => sentenceOf(field.label, words)).join(" ")}
    </p>`;
  if (field.kind === "checkbox") {
    return html`<div class="field">
      <label class="switch" for="${name}">${checkbox(field, state)} ${field.label}</label>
      ${problem} ${note}
    </div>`;
  }
  if (typeof field.kind === "object" && "boxes" in field.kind) {
    return boxes(field, field.kind.boxes, { state, problem, note });
  }
  return html`<div class="field">
    <label for="${name}">${field.label}</label>
    ${control(field, state)} ${problem} ${note}
  </div>`;
}

function boxes(
  { name, label }: FormField,
  choices: readonly Choice[],
  {
    state: { value, describedBy, invalid },
    problem,
    note,
  }: { readonly state: State; readonly problem: Html | false; readonly note: Html | false },
): Html {
  const ticked = value.split(",");
  return html`<fieldset class="field wide" id="${name}" ${describedBy} ${invalid}>
    <legend>${label}</legend>
    ${choices.map(
      (choice) =>
        html`<label class="switch"
          ><input
            type="checkbox"
            name="${name}"
            value="${choice.value}"
            ${ticked.includes(choice.value) ? "checked" : ""}
          />
          ${choice.text}</label
        >`,
    )}
    ${problem} ${note}
  </fieldset>`;
}

type State = {
  readonly value: string;
  readonly describedBy: Html | false;
  readonly invalid: Html | false;
};

function checkbox({ name }: FormField, { value, describedBy, invalid }: State): Html {
  const checked = value === "" ? "" : "checked";
  return html`<input
    id="${name}"
    name="${name}"
    type="checkbox"
    value="true"
    ${checked}
    ${describedBy}
    ${invalid}
  />`;
}

function control(
  { name, kind, lengthMax = LENGTH_MAX, isRequired }: FormField,
  state: State,
): Html {
  const { value, describedBy, invalid } = state;
  const required = isRequired ? "required" : "";
  if (typeof kind === "object" && "choices" in kind) {
    return html`<select id="${name}" name="${name}" ${describedBy} ${invalid}>
      ${kind.choices.map(
        (choice) =>
          html`<option value="${choice.value}" ${choice.value === value ? "selected" : ""}>
            ${choice.text}
          </option>`,
      )}
    </select>`;
  }
  if (kind === "lines") {
    const attributes = html`rows="${ROWS}" ${describedBy} ${invalid}`;
    // A browser drops the first line break.
    return html`<textarea id="${name}" name="${name}" spellcheck="false" ${attributes}>
${value}</textarea>`;
  }
  return html`<input
    id="${name}"
    name="${name}"
    type="${kind === "url" || typeof kind === "object" ? "text" : kind}"
    value="${value}"
    maxlength="${lengthMax}"
    autocomplete="${kind === "password" ? "new-password" : "off"}"
    spellcheck="false"
    ${kind === "url" ? html`inputmode="url"` : ""}
    ${required}
    ${describedBy}
    ${invalid}
  />`;
}

/** Renders the problems of a form above it, with a link to each field. */
export function problemList(problems: readonly FieldProblem[], fields: readonly FormField[]): Html {
  const item = ({ name, words }: FieldProblem) => {
    const field = fields.find((one) => one.name === name);
    if (!field) return html`<li>${sentenceOf(name, words)}</li>`;
    return html`<li><a href="#${name}">${sentenceOf(field.label, words)}</a></li>`;
  };
  return html`<section class="banner bad" role="alert" aria-labelledby="problems">
    <h2 id="problems">Nothing was changed</h2>
    <ul>
      ${problems.map(item)}
    </ul>
  </section>`;
}

function sentenceOf(label: string, words: string): string {
  const end = /[.!?]$/.test(words) ? "" : ".";
  // Words may begin with the text that was typed.
  return words.startsWith('"') ? `${label}: ${words}${end}` : `"${label}" ${words}${end}`;
}

/** A form that was open for too long shows what was typed again. */
export const EXPIRED: FieldProblem = {
  name: "Form",
  words: "was open for more than an hour; check it and send it again",
};

/** Renders a form that consists of one button. */
export function buttonForm(form: {
  readonly action: string;
  readonly proof: string;
  readonly text: string;
  readonly tone?: "quiet" | "bad";
  /** Read aloud after the text of the button, because several buttons have the same text. */
  readonly about?: string;
  /** Further hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
}): Html {
  const { action, proof, text, tone = "quiet", about, fields = {} } = form;
  return html`<form method="post" action="${action}">
    <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
    ${Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button type="submit" class="${tone}">
      ${text}${about !== undefined && html`<span class="unseen"> ${about}</span>`}
    </button>
  </form>`;
}

/** The protocols, as forms offer them. */
export const PROTOCOL_CHOICES: readonly Choice[] = [
  { value: "nuget", text: "NuGet" },
  { value: "npm", text: "npm" },
  { value: "oci", text: "Images" },
];
