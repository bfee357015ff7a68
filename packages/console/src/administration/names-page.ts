import type { ConflictReport } from "@sealhouse/upstream-sources";
import { html } from "hono/html";
import { table } from "../kit/elements/tables.ts";
import { clipped, countOf } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { administrationPage, NAMES } from "./administration-page.ts";
import { noticeOf } from "../kit/forms/notices.ts";
import type { Administrator } from "./administrator.ts";

const CHOICES = [
  { value: "npm", text: "npm" },
  { value: "nuget", text: "NuGet" },
  { value: "oci", text: "Images" },
];
const ERROR_LENGTH_MAX = 400;
const CONFLICTS_SHOWN_MAX = 500;

const NAME_FIELDS: readonly FormField[] = [
  { name: "protocol", label: "Protocol", kind: { choices: CHOICES } },
  {
    name: "name",
    label: "Name or pattern",
    kind: "text",
    isRequired: true,
    lengthMax: 255,
    help: "left-pad, @acme/*, Acme.*",
  },
];
const CONFLICT_FIELD: FormField = {
  name: "conflicts",
  label: "Protocol of the conflicts",
  kind: { choices: CHOICES },
};

/** Contents of the page in addition to its forms. */
export type ShownNames = {
  readonly values?: FormValues;
  readonly problems?: readonly FieldProblem[];
  readonly notice?: string;
  readonly report?: ConflictReport;
};

/** Renders `GET /administration/names`. */
export function namesPageResponse(
  administrator: Administrator,
  { values = new URLSearchParams(), problems = [], notice, report }: ShownNames,
): Promise<Response> {
  const body = html`${notice !== undefined && noticeOf(notice)}
  ${problems.length > 0 && problemList(problems, [...NAME_FIELDS, CONFLICT_FIELD])}
  ${report && reportCard(report)} ${nameForm(administrator, values, problems)}
  ${conflictForm(administrator, values, problems)}`;
  const page = { title: "Names", section: NAMES, body } as const;
  return administrationPage(administrator, page, problems.length > 0 ? 422 : 200);
}

function nameForm(
  { address, proofFor }: Administrator,
  values: FormValues,
  problems: readonly FieldProblem[],
): Html {
  const path = address.root + NAMES;
  return html`<form class="card" method="post" aria-labelledby="own" autocomplete="off">
    <h2 id="own">Own names</h2>
    <p>
      No source is asked for a reserved name. A released name that was mirrored becomes an own one,
      and a released reservation ends.
    </p>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(NAMES)}" />
    <div class="form two">${NAME_FIELDS.map((field) => formField(field, values, problems))}</div>
    <p class="buttons">
      <button type="submit" formaction="${path}/reserve">Reserve</button>
      <button type="submit" class="quiet" formaction="${path}/release">Release</button>
    </p>
  </form>`;
}

function conflictForm(
  { address, proofFor }: Administrator,
  values: FormValues,
  problems: readonly FieldProblem[],
): Html {
  return html`<form
    class="card"
    method="post"
    action="${address.root}${NAMES}/conflicts"
    aria-labelledby="conflicts-title"
  >
    <h2 id="conflicts-title">Conflicts</h2>
    <p>
      Asks the sources for all names that were published here. This tells the names to the sources.
    </p>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(NAMES)}" />
    <div class="form two">${formField(CONFLICT_FIELD, values, problems)}</div>
    <p class="buttons"><button type="submit">Find conflicts</button></p>
  </form>`;
}

const HEADS = [{ text: "Name" }, { text: "Source" }];

/** Failures are texts of other hosts. */
function reportCard({ names, conflicts, failures }: ConflictReport): Html {
  const shown = conflicts.slice(0, CONFLICTS_SHOWN_MAX);
  const rows = shown.map(
    ({ name, source }) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td>${source}</td>
      </tr>`,
  );
  return html`<section class="card" role="status" aria-labelledby="report">
    <h2 id="report">${countOf(conflicts.length, "conflict")} in ${countOf(names, "own name")}</h2>
    ${rows.length > 0 && table("Own names that a source has", HEADS, rows)}
    ${
      shown.length < conflicts.length &&
      html`<p class="soft">And ${conflicts.length - shown.length} more.</p>`
    }
    ${[...failures].map(
      ([source, reason]) =>
        html`<p class="problem">
          ${source} could not be asked for all names: ${clipped(reason, ERROR_LENGTH_MAX)}
        </p>`,
    )}
  </section>`;
}
