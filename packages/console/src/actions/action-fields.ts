import type { Action } from "@sealhouse/administration";
import type { Field } from "@sealhouse/administration/inputs";
import { parseExpiry } from "@sealhouse/identity";
import { html } from "hono/html";
import { formField } from "../kit/forms/form-fields.ts";
import type { Choice, FieldProblem, FormField } from "../kit/forms/form-fields.ts";
import { formatDay } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";

/** Texts of values that many actions have. */
const VALUE_TEXTS: Readonly<Record<string, string>> = { nuget: "NuGet", oci: "Images" };

/** A field of an action as a form shows it. */
export function formFieldOf(one: Field, action: Pick<Action, "method">): FormField {
  const { name, label, help, isRequired, values } = one;
  // The browser must not insist on the fields of a list, which may be empty.
  const base = { name, label, help, isRequired: isRequired && one.kind !== "list" };
  const choicesOf = (all: readonly string[]): readonly Choice[] =>
    all.map((value) => ({ value, text: values?.[value] ?? VALUE_TEXTS[value] ?? value }));
  if (one.isSecret) return { ...base, kind: one.kind === "pairs" ? "lines" : "password" };
  if (one.isDate) return { ...base, kind: "date" };
  if (values && one.kind === "text") {
    return { ...base, isRequired: false, kind: { boxes: choicesOf(Object.keys(values)) } };
  }
  switch (one.kind) {
    case "flag":
      return { ...base, kind: "checkbox" };
    case "list":
    case "pairs":
      return { ...base, kind: "lines", help: `${help} One on each line.` };
    case "choice": {
      const choices = choicesOf(one.choices);
      const none = { value: "", text: isRequired ? "Choose" : "Default" };
      const isOpen = one.fallback === undefined || action.method === "GET";
      return { ...base, kind: { choices: isOpen ? [none, ...choices] : choices } };
    }
    default:
      return { ...base, kind: one.isLong ? "lines" : "text" };
  }
}

/** The values that were typed, then the defaults. Secrets are never shown again. */
export function filledWith(
  fields: readonly Field[],
  values: URLSearchParams,
  now: Date,
): URLSearchParams {
  const filled = new URLSearchParams();
  const isNew = fields.every(({ name }) => !values.has(name));
  for (const one of fields) {
    const { name, fallback, kind, isSecret } = one;
    const typed = isSecret ? [] : values.getAll(name);
    const given = typed.length === 0 && isNew ? defaultOf(fallback) : typed;
    if (kind === "list" || kind === "pairs") filled.set(name, given.join("\n"));
    else if (one.values && kind === "text") filled.set(name, given.join(","));
    else if (given[0] !== undefined) filled.set(name, one.isDate ? dayOf(given[0], now) : given[0]);
  }
  return filled;
}

/** A span such as `1y` as a date; other texts stay. */
function dayOf(text: string, now: Date): string {
  if (!/^\d+[a-z]$/.test(text)) return text;
  const day = parseExpiry(text, now);
  return day ? formatDay(day) : "";
}

function defaultOf(fallback: unknown): readonly string[] {
  if (fallback === undefined || fallback === false) return [];
  const values: readonly unknown[] = Array.isArray(fallback) ? fallback : [fallback];
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
}

/** The fields of a form in their parts; those that few need are in closed parts. */
export function fieldParts(
  fields: readonly Field[],
  {
    action,
    title,
    values,
    problems,
  }: {
    readonly action: Pick<Action, "method">;
    readonly title: string;
    readonly values: URLSearchParams;
    readonly problems: readonly FieldProblem[];
  },
): Html {
  const parts = [...Map.groupBy(fields, ({ group = title }) => group)];
  const body = (some: readonly Field[]) =>
    some.map((one) => formField(formFieldOf(one, action), values, problems));
  return html`${parts.map(([legend, some]) => {
    const isClosed = some.every(
      ({ isExpert, name }) =>
        isExpert && !values.get(name) && problems.every((problem) => problem.name !== name),
    );
    if (!isClosed) {
      return html`<fieldset class="fields">
        <legend>${legend}</legend>
        ${body(some)}
      </fieldset>`;
    }
    return html`<details>
      <summary>${legend}</summary>
      <fieldset class="fields" aria-label="${legend}">${body(some)}</fieldset>
    </details>`;
  })}`;
}
