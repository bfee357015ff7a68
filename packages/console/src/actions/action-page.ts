import type { Action } from "@sealhouse/administration";
import type { Field } from "@sealhouse/administration/inputs";
import { pathFields } from "@sealhouse/administration/inputs";
import { html } from "hono/html";
import { ACTIONS, administrationPage, sectionOf } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { problemList } from "../kit/forms/form-fields.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import { noticeOf } from "../kit/forms/notices.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { Html } from "../kit/page/document.ts";
import { fieldParts, filledWith, formFieldOf } from "./action-fields.ts";
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

/** An action with the texts of its form. */
export type ShownAction = {
  readonly action: Action;
  readonly fields: readonly Field[];
  readonly values: URLSearchParams;
};

/** A form of an action, at the path that it is sent to. */
export type ShownForm = ShownAction & {
  readonly problems: readonly FieldProblem[];
  readonly tag?: string | undefined;
  readonly path: string;
  readonly backPath: string;
  /** Fields that the path has. */
  readonly fixed: Readonly<Record<string, string>>;
};

/** Renders the page with the form of an action. */
export function formPage(administrator: Administrator, form: ShownForm): Promise<Response> {
  const { action, problems, path, fixed } = form;
  const body = html`${presetLinks(administrator, form)} ${actionForm(administrator, form)}`;
  const about = Object.values(fixed).join(" ");
  const title = `${titleOf(action.summary)}${about === "" ? "" : `: ${about}`}`;
  const page = { title, section: sectionOf(path), body };
  return administrationPage(
    administrator,
    page,
    problems.length > 0 && isChange(action) ? 422 : 200,
  );
}

function isChange({ method }: Action): boolean {
  return method !== "GET";
}

/** Renders the problems and the form of an action, as a card. */
export function actionForm({ address, proofFor, site }: Administrator, form: ShownForm): Html {
  const { action, values, problems, tag, path, backPath, fixed } = form;
  const fields = form.fields.filter(({ name }) => !(name in fixed));
  const title = titleOf(action.summary);
  const parts = { action, title, values: filledWith(fields, values, site.now), problems };
  const hidden =
    isChange(action) &&
    html`<input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
      ${tag !== undefined && html`<input type="hidden" name="${TAG_FIELD}" value="${tag}" />`}`;
  const shown = fields.map((one) => formFieldOf(one, action));
  const button = "button" in action.form ? action.form.button : "Do it";
  return html`${problems.length > 0 && problemList(problems, shown)}
    <form
      class="card form"
      method="${isChange(action) ? "post" : "get"}"
      action="${address.root}${path}"
      autocomplete="off"
    >
      ${hidden} ${fieldParts(fields, parts)}
      <p class="buttons">
        <button type="submit">${isChange(action) ? button : "Show"}</button>
        <a href="${address.root}${backPath}">Cancel</a>
      </p>
    </form>`;
}

function presetLinks({ address }: Administrator, { action, path }: ShownForm): Html | false {
  const presets = "presets" in action.form ? action.form.presets : undefined;
  if (!presets) return false;
  const links = presets.map(({ title, values }) => {
    const query = new URLSearchParams(values).toString();
    return html`<li><a href="${address.root}${path}?${query}">${title}</a></li>`;
  });
  return html`<nav class="card" aria-label="Common values">
    <p>Start with common values:</p>
    <ul>
      ${links}
    </ul>
  </nav>`;
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
  const filtered = { action, path: `${ACTIONS}/${action.id}`, title: "Ask again" };
  const filters = isRead && fields.some(({ name }) => name !== "limit" && name !== "after");
  const body = html`${!isRead && noticeOf("Done.")}
    <section class="card" aria-label="Result">
      ${shownOutput(output, { linkOf, nextLink, now: site.now })}
    </section>
    ${following(administrator, { action, group, output, values })}
    ${filters && filterForm(administrator, { ...filtered, fields, values })}`;
  const section = sectionOf(`${ACTIONS}/${action.id}`);
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

/** The form that asks a reading action again, at the path of its page. */
export function filterForm(
  { address, site }: Administrator,
  asked: ShownAction & { readonly path: string; readonly title: string },
): Html {
  const { action, values, path, title } = asked;
  const fields = asked.fields.filter(({ name }) => name !== "after");
  const filled = filledWith(fields, values, site.now);
  const parts = { action, title, values: filled, problems: [] };
  return html`<form class="card form" method="get" action="${address.root}${path}">
    ${fieldParts(fields, parts)}
    <p class="buttons"><button type="submit">Show</button></p>
  </form>`;
}
