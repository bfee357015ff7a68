import type { Action } from "@sealhouse/administration";
import type { Context } from "hono";
import { html } from "hono/html";
import { administrationPage } from "../administration/administration-page.ts";
import { AUDIT } from "../kit/page/page-paths.ts";
import type { Administrator } from "../administration/administrator.ts";
import { buttonForm } from "../kit/forms/form-fields.ts";
import { noticeOf } from "../kit/forms/notices.ts";
import type { Html } from "../kit/page/document.ts";
import { TAG_FIELD } from "./action-page.ts";
import type { ActionSources } from "./action-sources.ts";
import { jobPath } from "./take-form.ts";

/** A page that shows objects of the registry; forms of actions lead back to it. */
export type Screen = {
  /** With parameters in braces: `/administration/publish-targets/{name}`. */
  readonly path: string;
  /** Renders the page; undefined: there is no such object. */
  render(asked: AskedScreen): Promise<Response | undefined>;
};

/** A request for a screen. */
export type AskedScreen = {
  readonly sources: ActionSources;
  readonly administrator: Administrator;
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The outcome of the form that led here. */
  readonly notice: Html | false;
  readonly c: Context;
};

/** Replaces fields in braces by the values of texts. */
export function pathWith(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(values[name])),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The path of a page as routes have it. */
export function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Renders the sentence of the action before a page, and a link to its job. */
export function noticeAfter(
  actions: readonly Action[],
  query: URLSearchParams,
  root: string,
): Html | false {
  const form = actions.find(({ id }) => id === query.get("notice"))?.form;
  if (!form || !("done" in form) || form.done === undefined) return false;
  const job = query.get("job");
  if (job === null) return noticeOf(form.done);
  return html`<p class="banner calm" role="status">
    ${form.done} <a href="${root}${jobPath(job)}">Follow the run</a>
  </p>`;
}

/** A button that does an action without further fields. */
export function actionButton(
  { address, proofFor }: Administrator,
  button: {
    readonly path: string;
    readonly text: string;
    readonly about: string;
    readonly tone?: "quiet" | "bad";
    /** State of the row that the page shows. */
    readonly tag?: string | undefined;
  },
): Html {
  const { path, tag, ...shown } = button;
  const fields = tag === undefined ? {} : { [TAG_FIELD]: tag };
  return buttonForm({ ...shown, action: address.root + path, proof: proofFor(path), fields });
}

/** A link that looks like a button: to a form. */
export function formLink({ address }: Administrator, path: string, text: string): Html {
  return html`<a class="button" href="${address.root}${path}">${text}</a> `;
}

/** A link to the audit log of an object. */
export function auditLink({ address }: Administrator, filter: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(filter).toString();
  return html`<a href="${address.root}${AUDIT}?${query}">Audit log</a> `;
}

/** A link to the next page of a list, with its filters. */
export function moreLink(
  { address }: Administrator,
  {
    path,
    query,
    next,
  }: { readonly path: string; readonly query: URLSearchParams; readonly next: string | undefined },
): Html | false {
  if (next === undefined) return false;
  const more = new URLSearchParams(query);
  more.delete("notice");
  more.set("after", next);
  return html`<p class="buttons"><a href="${address.root}${path}?${more.toString()}">More</a></p>`;
}

/** Renders that an object does not exist, with a link to its list. */
export function absentObject(
  administrator: Administrator,
  { path }: { readonly path: string },
): Promise<Response> {
  const body = html`<p>
    There is no such entry. <a href="${administrator.address.root}${path}">Show all</a>
  </p>`;
  return administrationPage(administrator, { title: "Not found", body }, 404);
}
