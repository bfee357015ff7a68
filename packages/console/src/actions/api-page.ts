import type { Action } from "@sealhouse/administration";
import { REFUSALS } from "@sealhouse/administration";
import { fieldsOf, pathFields } from "@sealhouse/administration/inputs";
import type { Field } from "@sealhouse/administration/inputs";
import { html } from "hono/html";
import { ACTIONS } from "../administration/administration-page.ts";
import { copyable } from "../kit/clients/snippets.ts";
import { pair, table } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { groupOf, titleOf } from "./action-page.ts";

/** The path of the HTTP API of administrators. */
const API = "/api/admin/v1";

/** Renders `GET /api`: every operation with its fields, and a form to try it. */
export function apiPage(
  { site, address }: Shown,
  actions: readonly Action[],
): Response | Promise<Response> {
  const groups = [...Map.groupBy(actions, groupOf)];
  const main = html`<main id="content">
    <div class="top">
      <div class="wrap">
        <h1>HTTP API of administrators</h1>
        <p class="lead">
          Each operation is also a command and an action on a page. It needs a token with the scope
          <code>admin</code>, or with the scope of the operation.
        </p>
      </div>
    </div>
    <div class="wrap columns one">
      <section class="card" aria-labelledby="first">
        <h2 id="first">First call</h2>
        ${copyable("first-call", {
          label: "List the rules about versions",
          lines: [curlLine(address.base, { method: "GET", path: "/rules" })],
        })}
        <p>
          The same in OpenAPI 3.1:
          <a href="${address.root}${API}/openapi.json">openapi.json</a>.
        </p>
        <nav aria-label="Groups">
          <ul class="tags">
            ${groups.map(([name]) => html`<li><a href="#${name}">${titleOf(name)}</a></li>`)}
          </ul>
        </nav>
      </section>
      ${groups.map(
        ([name, of]) =>
          html`<section class="card" aria-labelledby="${name}">
            <h2 id="${name}">${titleOf(name)}</h2>
            ${of.map((action) => operation(address, action))}
          </section>`,
      )}
    </div>
  </main>`;
  return pageResponse(site, address, { title: "HTTP API", main });
}

function operation(address: Shown["address"], action: Action): Html {
  const { id, method, path, summary, scope } = action;
  const fields = fieldsOf(action.input);
  const refusals = ["anonymous", "denied", ...action.refusals] as const;
  return html`<details id="${id}">
    <summary><code>${method} ${path}</code> ${summary}</summary>
    <dl class="pairs">
      ${pair("Scope", html`<code>${scope}</code>`)} ${pair("Command", commandOf(action))}
      ${pair(
        "Refusals",
        html`${refusals.map(
          (reason) => html`<span>${REFUSALS[reason].status} <code>${reason}</code> </span>`,
        )}`,
      )}
    </dl>
    ${fields.length > 0 && fieldTable(action, fields)}
    ${copyable(id.replaceAll(".", "-"), {
      label: "With curl",
      lines: [curlLine(address.base, action)],
    })}
    <p><a href="${address.root}${ACTIONS}/${id}">Try it</a></p>
  </details>`;
}

function commandOf({ command }: Action): Html {
  const words = typeof command === "string" ? [command] : command.map((form) => form.words);
  return html`${words.map((one) => html`<code>sealhouse ${one}</code> `)}`;
}

function fieldTable(action: Action, fields: readonly Field[]): Html {
  const inPath = pathFields(action);
  const other = action.method === "GET" ? "query" : "body";
  const heads = [{ text: "Field" }, { text: "In" }, { text: "Value" }, { text: "Meaning" }];
  const rows = fields.map(
    (one) =>
      html`<tr>
        <th scope="row"><code>${one.name}</code></th>
        <td>${inPath.includes(one.name) ? "path" : other}</td>
        <td>${valueOf(one)}</td>
        <td>${one.help}</td>
      </tr>`,
  );
  return table(`Fields of ${action.id}`, heads, rows);
}

function valueOf(one: Field): string {
  const kind = one.kind === "choice" ? one.choices.join(", ") : KINDS[one.kind];
  return one.isRequired ? kind : `${kind}; optional`;
}

const KINDS = {
  text: "text",
  number: "number",
  flag: "true or false",
  list: "list of texts",
  pairs: "texts by name",
} as const;

/** The call with placeholders in capital letters. */
function curlLine(
  base: string,
  { method, path, changes }: Pick<Action, "method" | "path" | "changes">,
): string {
  const shown = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const parts = [
    "curl",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    `-H "Authorization: Bearer $SEALHOUSE_TOKEN"`,
    ...(changes === undefined ? [] : [`-H 'If-Match: "ETAG"'`]),
    ...(method === "POST" || method === "PUT"
      ? [`-H "Content-Type: application/json" -d @input.json`]
      : []),
    `${base}${API}${shown}`,
  ];
  return parts.join(" ");
}
