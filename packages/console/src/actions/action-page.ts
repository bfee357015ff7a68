import type { Action } from "@sealhouse/administration";
import type { Field } from "@sealhouse/administration/inputs";
import { pathFields } from "@sealhouse/administration/inputs";
import { html } from "hono/html";
import {
  ACTIONS,
  administrationPage,
  sectionOfAction,
} from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FieldProblem, FormField } from "../kit/forms/form-fields.ts";
import { noticeOf } from "../kit/forms/notices.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { Html } from "../kit/page/document.ts";
import { shownOutput } from "./shown-output.ts";

/** The field with the state of the row that the form changes. */
export const TAG_FIELD = "entity-tag";

/** Renders the list of all actions, by group. */
export function actionsPage(
  administrator: Administrator,
  actions: readonly Action[],
): Promise<Response> {
  const groups = Map.groupBy(actions, groupOf);
  const body = html`<p class="soft">
      Each action is also a command and an operation of the
      <a href="${administrator.address.root}/api">HTTP API</a>.
    </p>
    ${[...groups].map(
      ([name, of]) =>
        html`<section class="card" aria-labelledby="${name}">
          <h2 id="${name}">${titleOf(name)}</h2>
          <ul>
            ${of.map((action) => html`<li>${actionLink(administrator, action)}</li>`)}
          </ul>
        </section>`,
    )}`;
  return administrationPage(administrator, { title: "All actions", section: ACTIONS, body });
}

/** The first part of an action's id. */
export function groupOf({ id }: Action): string {
  return id.split(".")[0] ?? id;
}

/** `publishTargets` becomes `Publish targets`. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/[A-Z-]/g, (letter) => ` ${letter.toLowerCase()}`);
  const text = words.replaceAll(" - ", " ").replaceAll(" -", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function actionLink(
  { address }: Administrator,
  { id, summary }: Action,
  values: Readonly<Record<string, string>> = {},
): Html {
  const query = new URLSearchParams(values).toString();
  const path = `${address.root}${ACTIONS}/${id}${query === "" ? "" : `?${query}`}`;
  return html`<a href="${path}">${titleOf(summary)}</a>`;
}

type ShownAction = {
  readonly action: Action;
  readonly fields: readonly Field[];
  readonly values: URLSearchParams;
};

/** Renders the form of an action. */
export function formPage(
  administrator: Administrator,
  {
    action,
    fields,
    values,
    problems,
    tag,
  }: ShownAction & {
    readonly problems: readonly FieldProblem[];
    readonly tag?: string | undefined;
  },
): Promise<Response> {
  const { address, proofFor } = administrator;
  const path = `${ACTIONS}/${action.id}`;
  const isRead = action.method === "GET";
  const shown = fields.map((one) => formFieldOf(one, action));
  const filled = filledWith(fields, values);
  const hidden = isRead
    ? ""
    : html`<input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
        ${tag !== undefined && html`<input type="hidden" name="${TAG_FIELD}" value="${tag}" />`}`;
  const body = html`${problems.length > 0 && problemList(problems, shown)}
    <form
      class="card form"
      method="${isRead ? "get" : "post"}"
      action="${address.root}${path}"
      autocomplete="off"
    >
      ${hidden}
      <fieldset class="fields">
        <legend>${titleOf(action.summary)}</legend>
        ${shown.map((field) => formField(field, filled, problems))}
      </fieldset>
      <p class="buttons">
        <button type="submit">${isRead ? "Show" : "Do it"}</button>
        <a href="${address.root}${ACTIONS}">Cancel</a>
      </p>
    </form>`;
  const section = sectionOfAction(action.id);
  const page = { title: titleOf(action.summary), section, body };
  return administrationPage(administrator, page, problems.length > 0 && !isRead ? 422 : 200);
}

/** The values that were typed, then the defaults. */
function filledWith(fields: readonly Field[], values: URLSearchParams): URLSearchParams {
  const filled = new URLSearchParams();
  for (const { name, fallback, kind, isSecret } of fields) {
    const typed = isSecret ? [] : values.getAll(name);
    const given = typed.length === 0 && values.size === 0 ? defaultOf(fallback) : typed;
    if (kind === "list") filled.set(name, given.join("\n"));
    else if (given[0] !== undefined) filled.set(name, given[0]);
  }
  return filled;
}

function defaultOf(fallback: unknown): readonly string[] {
  if (fallback === undefined || fallback === false) return [];
  const values: readonly unknown[] = Array.isArray(fallback) ? fallback : [fallback];
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
}

function formFieldOf(one: Field, action: Action): FormField {
  const { name, label, help, isRequired } = one;
  // The browser must not insist on the fields of a list, which may be empty.
  const base = { name, label, help, isRequired: isRequired && one.kind !== "list" };
  if (one.isSecret) return { ...base, kind: "password" };
  switch (one.kind) {
    case "flag":
      return { ...base, kind: "checkbox" };
    case "list":
      return { ...base, kind: "lines", help: `${help} One on each line.` };
    case "choice": {
      const choices = one.values.map((value) => ({ value, text: value }));
      const none = { value: "", text: isRequired ? "Choose" : "Default" };
      const isOpen = one.fallback === undefined || action.method === "GET";
      return { ...base, kind: { choices: isOpen ? [none, ...choices] : choices } };
    }
    default:
      return { ...base, kind: one.isLong ? "lines" : "text" };
  }
}

/** Renders the output of an action, with the actions that may follow. */
export function resultPage(
  administrator: Administrator,
  {
    action,
    fields,
    values,
    actions,
    output,
  }: ShownAction & { readonly actions: readonly Action[]; readonly output: unknown },
): Promise<Response> {
  const { address, site } = administrator;
  const group = actions.filter((one) => groupOf(one) === groupOf(action));
  const show = group.find(({ id }) => id === `${groupOf(action)}.show`);
  const linkOf = (item: Readonly<Record<string, unknown>>, text: string) => {
    const given = show && valuesFor(show, item);
    if (!show || !given || show === action) return text;
    const query = new URLSearchParams(given).toString();
    return html`<a href="${address.root}${ACTIONS}/${show.id}?${query}">${text}</a>`;
  };
  const nextLink = (next: string) => {
    const query = new URLSearchParams(values);
    query.set("after", next);
    return html`<p class="buttons">
      <a href="${address.root}${ACTIONS}/${action.id}?${query.toString()}">More</a>
    </p>`;
  };
  const isRead = action.method === "GET";
  const filters = isRead && fields.some(({ name }) => name !== "limit" && name !== "after");
  const body = html`${!isRead && noticeOf("Done.")}
    <section class="card" aria-label="Result">
      ${shownOutput(output, { linkOf, nextLink, now: site.now })}
    </section>
    ${following(administrator, { action, group, output, values })}
    ${filters && fields.length > 0 && filterForm(administrator, { action, fields, values })}`;
  const section = sectionOfAction(action.id);
  const page = { title: titleOf(action.summary), section, body };
  return administrationPage(administrator, page);
}

/** The input of a reading action, taken from a row; undefined when the row has no such fields. */
function valuesFor(
  action: Action,
  row: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> | undefined {
  const names = pathFields(action);
  const texts = names.map((name) => row[name]);
  if (texts.length === 0 || texts.some((text) => typeof text !== "string")) return undefined;
  return Object.fromEntries(names.map((name, at) => [name, String(texts[at])]));
}

function following(
  administrator: Administrator,
  {
    action,
    group,
    output,
    values,
  }: {
    readonly action: Action;
    readonly group: readonly Action[];
    readonly output: unknown;
    readonly values: URLSearchParams;
  },
): Html | false {
  const row = typeof output === "object" && output !== null ? output : {};
  const known = { ...Object.fromEntries(values), ...row };
  const links = group
    .filter((one) => one.id !== action.id)
    .flatMap((one) => {
      const given = pathFields(one).length === 0 ? {} : valuesFor(one, known);
      const isOfRow = action.id.endsWith(".show") || one.changes === undefined;
      return given && isOfRow ? [html`<li>${actionLink(administrator, one, given)}</li>`] : [];
    });
  return (
    links.length > 0 &&
    html`<section class="card" aria-labelledby="next">
      <h2 id="next">Further actions</h2>
      <ul>
        ${links}
      </ul>
    </section>`
  );
}

function filterForm({ address }: Administrator, { action, fields, values }: ShownAction): Html {
  const shown = fields
    .filter(({ name }) => name !== "after")
    .map((one) => formFieldOf(one, action));
  return html`<form class="card form" method="get" action="${address.root}${ACTIONS}/${action.id}">
    <fieldset class="fields">
      <legend>Ask again</legend>
      ${shown.map((field) => formField(field, filledWith(fields, values), []))}
    </fieldset>
    <p class="buttons"><button type="submit">Show</button></p>
  </form>`;
}
