import type { ShownToken } from "@sealhouse/administration";
import { fieldsOf } from "@sealhouse/administration/inputs";
import { html } from "hono/html";
import { filterForm } from "../actions/action-page.ts";
import { actionNamed, askAction } from "../actions/run-action.ts";
import { formLink, moreLink, pathWith } from "../actions/screen.ts";
import type { AskedScreen, Screen } from "../actions/screen.ts";
import { administrationPage, API_KEYS } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { table } from "../kit/elements/tables.ts";
import { problemList } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { Html } from "../kit/page/document.ts";
import { keyCells } from "./key-facts.ts";

type TokenList = { readonly items: readonly ShownToken[]; readonly next?: string };

const SHOWN = "50";
const REVOKE = `${API_KEYS}/revoke`;
const HEADS = ["Name", "Holder", "Scopes", "Limits", "Last use", "Expires", "State", "Choose"];

/** Common questions about keys. */
const VIEWS = [
  ["All", ""],
  ["Expire in 30 days", "expiresWithin=30d"],
  ["Never used", "unused=true&state=active"],
  ["Reported as leaked", "leaked=true"],
  ["Revoked", "state=revoked"],
] as const;

/** All API keys, page by page. */
export const KEYS_SCREEN: Screen = {
  path: API_KEYS,
  async render(asked) {
    const { sources, administrator, query, notice } = asked;
    const action = await actionNamed(sources, "tokens.list");
    const values = new URLSearchParams(query);
    values.delete("notice");
    values.set("limit", SHOWN);
    const list = await askAction(sources, administrator, { action, values });
    const { items = [], next } = (list.output ?? {}) as Partial<TokenList>;
    const fields = fieldsOf(action.input).filter(({ name }) => name !== "limit");
    const filter = { action, fields, values, path: API_KEYS, title: "Filter" };
    const body = html`${notice} ${list.problems.length > 0 && problemList(list.problems, [])}
      <div class="head">
        <p class="soft">Tokens of people, service accounts and the operators.</p>
        ${formLink(administrator, `${API_KEYS}/new`, "Create an API key")}
      </div>
      ${viewLinks(administrator)} ${keysCard(asked, items)}
      ${moreLink(administrator, { path: API_KEYS, query, next })}
      ${filterForm(administrator, filter)}`;
    const page = { title: "API keys", section: API_KEYS, body } as const;
    return administrationPage(administrator, page, list.problems.length > 0 ? 422 : 200);
  },
};

function viewLinks({ address }: Administrator): Html {
  const links = VIEWS.map(
    ([text, query]) => html`<a href="${address.root}${API_KEYS}?${query}">${text}</a> `,
  );
  return html`<nav class="buttons" aria-label="Views of API keys">${links}</nav>`;
}

function keysCard({ administrator }: AskedScreen, items: readonly ShownToken[]): Html {
  const { address, proofFor, site } = administrator;
  if (items.length === 0) {
    return html`<section class="card" aria-label="API keys">
      <p class="soft">There are no such keys.</p>
    </section>`;
  }
  const rows = items.map(
    (token) =>
      html`<tr>
        <th scope="row">
          <a href="${address.root}${pathWith(`${API_KEYS}/{id}`, token)}">${token.name}</a>
        </th>
        ${keyCells(token, site.now).map((cell) => html`<td>${cell}</td>`)}
        <td>
          ${
            token.state !== "revoked" &&
            html`<input
              type="checkbox"
              name="ids"
              value="${token.id}"
              aria-label="Choose ${token.name}"
            />`
          }
        </td>
      </tr>`,
  );
  return html`<form class="card" method="post" action="${address.root}${REVOKE}">
    <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(REVOKE)}" />
    ${table(
      "API keys",
      HEADS.map((text) => ({ text })),
      rows,
    )}
    <p class="buttons"><button type="submit" class="bad">Revoke the chosen keys</button></p>
  </form>`;
}
