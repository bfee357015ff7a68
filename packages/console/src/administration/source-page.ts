import type { ListedSource, ProbeReport } from "@sealhouse/upstream-sources";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { clipped, countOf } from "../kit/elements/format.ts";
import {
  administrationPage,
  NAMES,
  NEW_SOURCE,
  sourcePath,
  SOURCES,
} from "./administration-page.ts";
import { AUDIT } from "../kit/page/page-paths.ts";
import type { Administrator } from "./administrator.ts";
import { REVISION_FIELD, revisionOf } from "./source-form.ts";
import { sourceFieldGroups } from "./source-fields.ts";
import type { FieldGroup } from "./source-fields.ts";
import { errorsCard, sourceBadges, sourceFacts } from "./source-parts.ts";
import { sourceButton, sourceButtons } from "./sources-page.ts";

const TEXT_LENGTH_MAX = 400;

/** A form as the page shows it: stored or typed values, and the problems with them. */
export type ShownForm = {
  readonly values: FormValues;
  readonly problems: readonly FieldProblem[];
};

/** Renders `GET /administration/package-sources/new`. */
export function newSourcePageResponse(
  administrator: Administrator,
  form: ShownForm,
): Promise<Response> {
  const body = sourceForm(administrator, form, {
    path: NEW_SOURCE,
    groups: sourceFieldGroups(),
    button: "Add the source",
  });
  const page = { title: "Add a package source", section: SOURCES, body } as const;
  return administrationPage(administrator, page, statusOf(form));
}

/** Counts of the names that came from a source, and their versions (images: tags) here. */
export type Mirrored = { readonly names: number; readonly versions: number };

function cachedText(
  { address }: Administrator,
  { source: { name, protocol } }: ListedSource,
  { names, versions }: Mirrored,
): Html {
  const unit = protocol === "oci" ? "tag" : "version";
  const audit = new URLSearchParams({ subject: name, type: "source.*" }).toString();
  return html`<p>
    Here from it: ${countOf(names, "name")} with ${countOf(versions, unit)}.
    <a href="${address.root}${NAMES}">Conflicts with own names</a>
    <a href="${address.root}${AUDIT}?${audit}">Audit log</a>
  </p>`;
}

/** Renders `GET /administration/package-sources/{name}`; `report` is the result of a test. */
export function sourcePageResponse(
  administrator: Administrator,
  listed: ListedSource,
  {
    form,
    report,
    mirrored,
  }: { readonly form?: ShownForm; readonly report?: ProbeReport; readonly mirrored?: Mirrored },
): Promise<Response> {
  const { source } = listed;
  const { name } = source;
  const facts = html`<section class="card" aria-labelledby="state">
      <h2 id="state">State</h2>
      ${sourceBadges(listed)} ${sourceFacts(listed, administrator.site.now)}
      ${mirrored && cachedText(administrator, listed, mirrored)}
      ${form && sourceButtons(administrator, listed)}
    </section>
    ${errorsCard(listed, administrator.site.now)}`;
  const hasCredentials = source.credentials !== undefined || listed.isUnreadable;
  const groups = sourceFieldGroups({ hasCredentials });
  const revision = revisionOf(source);
  const edit = { path: sourcePath(name), groups, button: "Save the source", revision };
  const body = html`${report && reportBanner(report)} ${listed.isUnreadable && unreadable()}
  ${form && form.problems.length > 0 ? sourceForm(administrator, form, edit) : ""} ${facts}
  ${form && form.problems.length === 0 ? sourceForm(administrator, form, edit) : ""}
  ${form ? removal(administrator, name) : settingsNote()}`;
  const title = `Package source ${name}`;
  const status = form ? statusOf(form) : 200;
  return administrationPage(
    administrator,
    { title, section: SOURCES, body, audit: { subject: name } },
    status,
  );
}

/** 422 = the form has problems. */
function statusOf({ problems }: ShownForm): number {
  return problems.length > 0 ? 422 : 200;
}

function sourceForm(
  { address, proofFor }: Administrator,
  { values, problems }: ShownForm,
  form: {
    readonly path: string;
    readonly groups: readonly FieldGroup[];
    readonly button: string;
    /** Revision of the stored source; undefined for a new one. */
    readonly revision?: string;
  },
): Html {
  const { path, groups, button, revision } = form;
  const fields: readonly FormField[] = groups.flatMap((group) => group.fields);
  return html`${problems.length > 0 && problemList(problems, fields)}
    <form class="card form" method="post" action="${address.root}${path}" autocomplete="off">
      <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
      ${
        revision !== undefined &&
        html`<input type="hidden" name="${REVISION_FIELD}" value="${revision}" />`
      }
      ${groups.map(
        (group) =>
          html`<fieldset class="fields">
            <legend>${group.legend}</legend>
            ${group.fields.map((field) => formField(field, values, problems))}
          </fieldset>`,
      )}
      <p class="buttons">
        <button type="submit">${button}</button>
        <a href="${address.root}${SOURCES}">Cancel</a>
      </p>
    </form>`;
}

/** The answer of another host is text of that host. */
function reportBanner(report: ProbeReport): Html {
  const { outcome, status, durationMs, capabilities, problem, remarks = [] } = report;
  const isGood = outcome === "works";
  const offers = clipped(capabilities.join(", "), TEXT_LENGTH_MAX);
  return html`<section
    class="banner ${isGood ? "calm" : "bad"}"
    role="status"
    aria-labelledby="report"
  >
    <h2 id="report">${isGood ? "The source works" : "The source does not work"}</h2>
    <p>${status === undefined ? "No answer" : `Status ${status}`} after ${durationMs} ms.</p>
    ${offers !== "" && html`<p>Offers: ${offers}.</p>`}
    ${problem !== undefined && html`<p>${clipped(problem, TEXT_LENGTH_MAX)}</p>`}
    ${remarks.map((remark) => html`<p>${clipped(remark, TEXT_LENGTH_MAX)}</p>`)}
  </section>`;
}

function unreadable(): Html {
  return html`<p class="banner bad">
    The key ring cannot decrypt the credentials of this source. Restore its keys, or enter the
    credentials again.
  </p>`;
}

function settingsNote(): Html {
  return html`<p class="note">
    This source comes from the settings of the host, so it can be changed only there.
  </p>`;
}

function removal(administrator: Administrator, name: string): Html {
  return html`<section class="card" aria-labelledby="remove">
    <h2 id="remove">Remove</h2>
    <p>
      Removes the source with its credentials. Packages that were fetched from it stay, and names
      that came from it go to the other sources.
    </p>
    <div class="buttons">${sourceButton(administrator, name, "remove", "Remove")}</div>
  </section>`;
}
