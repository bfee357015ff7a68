import { html } from "hono/html";
import { administrationPage } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { clipped, visibleText } from "../kit/elements/format.ts";
import { pair, table, timeAgo } from "../kit/elements/tables.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import type { Html } from "../kit/page/document.ts";
import { AUDIT, auditPath } from "../kit/page/page-paths.ts";
import { AUDIT_FIELDS, AUDIT_NAMES } from "./audit-filters.ts";
import type { AuditRecord } from "./overview-sources.ts";

const WORDS_LENGTH_MAX = 240;
const NAME_LENGTH_MAX = 120;

/** Page of the audit log to render. */
export type AuditView = {
  readonly query: URLSearchParams;
  readonly records: readonly AuditRecord[];
  readonly next?: string | undefined;
  readonly problems: readonly FieldProblem[];
};

/** Renders `GET /administration/audit`. */
export function auditPage(administrator: Administrator, view: AuditView): Promise<Response> {
  const { address } = administrator;
  const { query, records, next, problems } = view;
  const filters = new URLSearchParams();
  for (const name of AUDIT_NAMES) {
    const value = query.get(name) ?? "";
    if (value !== "") filters.set(name, value);
  }
  const to = (path: string, more: Readonly<Record<string, string>> = {}) => {
    const all = new URLSearchParams([...filters, ...Object.entries(more)]).toString();
    return `${address.root}${path}${all === "" ? "" : `?${all}`}`;
  };
  const body = html`${problems.length > 0 && problemList(problems, AUDIT_FIELDS)}
    <form class="card search" action="${address.root}${AUDIT}" role="search">
      <div class="filters">${AUDIT_FIELDS.map((field) => formField(field, filters, problems))}</div>
      <p class="buttons">
        <button type="submit">Filter</button>
        <a href="${address.root}${AUDIT}">All records</a>
        <a href="${to(`${AUDIT}.jsonl`)}">Export as JSON lines</a>
      </p>
    </form>
    <section class="card" aria-labelledby="records">
      <h2 id="records">Records, newest first</h2>
      ${
        records.length > 0
          ? recordTable(administrator, records)
          : html`<p class="empty">
              No record on this page has these filters. Remove one, or look further back.
            </p>`
      }
      ${
        next !== undefined &&
        html`<nav class="pager" aria-label="Pages of records">
          <a rel="next" href="${to(AUDIT, { after: next })}">Older records</a>
        </nav>`
      }
    </section>`;
  const page = { title: "Audit log", section: AUDIT, body } as const;
  return administrationPage(administrator, page, problems.length > 0 ? 422 : 200);
}

const HEADS = ["Time", "Who", "What", "Name", "From"].map((text) => ({ text }));

/** Renders records as a table, whose times link to the records. */
export function recordTable(
  { address, site }: Administrator,
  records: readonly AuditRecord[],
): Html {
  const rows = records.map((record) => {
    const { id, at, caller, subject } = record;
    return html`<tr>
      <th scope="row">
        <a href="${address.root}${recordPath(id)}">${minuteText(at)}</a>
        <span class="soft">${timeAgo(at, site.now)}</span>
      </th>
      <td>${shown(caller.actor, NAME_LENGTH_MAX)}</td>
      <td>${wordsOf(record)}</td>
      <td>${shown(subject, NAME_LENGTH_MAX)}</td>
      <td>${caller.address !== undefined && html`<code>${caller.address}</code>`}</td>
    </tr>`;
  });
  return table("Records of the audit log", HEADS, rows);
}

/** Renders `GET /administration/audit/{id}`. */
export function recordPage(administrator: Administrator, record: AuditRecord): Promise<Response> {
  const { address } = administrator;
  const { id, at, type, subject, caller } = record;
  const { actor, tokenId, address: from, requestId } = caller;
  const linked = (name: string, value: string) =>
    html`<a href="${address.root}${auditPath({ [name]: value })}">${visibleText(value)}</a>`;
  const body = html`<section class="card" aria-labelledby="facts">
      <h2 id="facts">${wordsOf(record)}</h2>
      <dl class="pairs spread">
        ${pair("Time", html`<time datetime="${at.toISOString()}">${at.toISOString()}</time>`)}
        ${pair("Who", linked("actor", actor))}
        ${tokenId !== undefined && pair("Token", linked("token", tokenId))}
        ${from !== undefined && pair("From", linked("address", from))}
        ${pair("Type", linked("type", type))} ${pair("Name", linked("subject", subject))}
        ${requestId !== undefined && pair("Request", html`<code>${requestId}</code>`)}
      </dl>
    </section>
    <section class="card" aria-labelledby="json">
      <h2 id="json">Record as JSON</h2>
      <pre><code>${visibleJson(record)}</code></pre>
    </section>
    <p><a href="${address.root}${AUDIT}">All records</a></p>`;
  return administrationPage(administrator, { title: `Record ${id}`, section: AUDIT, body });
}

/** Returns a record in the form of the API and of exports. */
export function jsonOf({ id, at, type, subject, caller, detail }: AuditRecord): object {
  return { id, time: at.toISOString(), type, subject, ...caller, ...(detail && { detail }) };
}

function recordPath(id: string): string {
  return `${AUDIT}/${encodeURIComponent(id)}`;
}

function shown(text: string, lengthMax: number): string {
  return visibleText(clipped(text, lengthMax));
}

/** JSON escapes what is not a character; line breaks are those of the indentation. */
function visibleJson(record: AuditRecord): string {
  const lines = JSON.stringify(jsonOf(record), undefined, 2).split("\n");
  return lines.map(visibleText).join("\n");
}

function minuteText(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** `package.published` becomes `package published`; a refusal has its reason. */
function wordsOf({ type, detail = {} }: AuditRecord): string {
  const { reason, change } = detail;
  const words = type.replaceAll(/[.-]/g, " ");
  if (typeof reason === "string" && type.startsWith("access.")) {
    return shown(`${words.replace("access ", "")}: ${reason}`, WORDS_LENGTH_MAX);
  }
  return typeof change === "string" ? shown(`${words}: ${change}`, WORDS_LENGTH_MAX) : words;
}
