import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { auditPath } from "../kit/page/page-paths.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { wrapName } from "../kit/elements/format.ts";
import { managedPath, pathOfName } from "../kit/links/name-address.ts";
import type { NameTask } from "../kit/links/name-address.ts";
import type { NameManager } from "./name-manager.ts";

export const PROTOCOL_TEXTS = {
  nuget: "NuGet package",
  npm: "npm package",
  oci: "Image repository",
} as const;

/** A page about a name, or about the names of a person. */
export type NamePage = {
  readonly title: string;
  readonly head: Html;
  readonly body: Html;
  readonly status?: number;
};

/** Renders a page whose lines can be copied; no cache keeps it. */
export function namePage(
  { site, address }: Pick<Shown, "site" | "address">,
  { title, head, body, status = 200 }: NamePage,
): Promise<Response> {
  const main = html`<main id="content">
    <div class="top"><div class="wrap">${head}</div></div>
    <div class="wrap columns one">${body}</div>
  </main>`;
  return pageResponse(site, address, { title, main, bar: { search: false } }, { status });
}

/** Renders the head of a page of one name, with links to its other pages. */
export function nameHead({ site, address, name }: NameManager, title: string): Html {
  const subject = `${name.protocol}/${name.name}*`;
  return html`<h1>${title} ${wrapName(name.name)}</h1>
    <p class="soft">${PROTOCOL_TEXTS[name.protocol]}</p>
    <nav class="sections" aria-label="Pages of this name">
      <a href="${pathOfName(address, name)}">Page for readers</a>
      <a href="${address.root}${managedPath(name)}">Manage</a>
      <a href="${address.root}/account/names">Your names</a>
      ${
        site.hasAdministration === true &&
        html`<a href="${address.root}${auditPath({ subject })}">Audit log</a>`
      }
    </nav>`;
}

/** A form for one task of a name. */
export type TaskForm = {
  readonly task: NameTask;
  /** Values that the person does not see. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly fields?: Html | readonly Html[];
  readonly text: string;
  readonly tone?: "primary" | "quiet" | "bad";
  /** Read aloud after the text of the button, because several buttons have the same text. */
  readonly about?: string;
};

/** Renders the form of a task, with its code. */
export function taskForm({ address, name, proofFor }: NameManager, form: TaskForm): Html {
  const { task, ...rest } = form;
  const action = address.root + managedPath(name, task);
  return provenForm({ ...rest, action, proof: proofFor(task) });
}

/** Renders a form with its code and one button. */
export function provenForm({
  action,
  proof,
  hidden = {},
  fields,
  text,
  tone = "quiet",
  about,
}: Omit<TaskForm, "task"> & { readonly action: string; readonly proof: string }): Html {
  const button = html`<button type="submit" class="${tone}">
    ${text}${about !== undefined && html`<span class="unseen"> ${about}</span>`}
  </button>`;
  return html`<form method="post" action="${action}" autocomplete="off">
    <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
    ${Object.entries(hidden).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    ${fields && html`<div class="form two">${fields}</div>`}
    ${fields ? html`<p class="buttons">${button}</p>` : button}
  </form>`;
}

/** Renders a time to the minute. */
export function minuteOf(at: Date): Html {
  const text = at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}
