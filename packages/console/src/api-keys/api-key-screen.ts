import type { ShownRecord, ShownToken } from "@sealhouse/administration";
import { SCOPE_TEXTS } from "@sealhouse/identity";
import { html } from "hono/html";
import { actionNamed, readAction, shownTag } from "../actions/run-action.ts";
import { actionButton, auditLink, formLink, pathWith } from "../actions/screen.ts";
import type { AskedScreen, Screen } from "../actions/screen.ts";
import { administrationPage, API_KEYS } from "../administration/administration-page.ts";
import { andMore, pair, table, timeAgo } from "../kit/elements/tables.ts";
import { countOf } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { expiryOf, lastUseOf, limitsText, stateOf } from "./key-facts.ts";

const PAGE = `${API_KEYS}/{id}`;
const MADE_SHOWN = 10;
const RECORDS_SHOWN = 20;

/** One API key. */
export const KEY_SCREEN: Screen = {
  path: PAGE,
  async render(asked) {
    const { sources, administrator, params, notice } = asked;
    const token = await readAction<ShownToken>(sources, administrator, ["tokens.show", params]);
    if (!token) return undefined;
    const body = html`${notice} ${await factsCard(asked, token)} ${await madeCard(asked, token)}
    ${await recordsCard(asked, token)}`;
    const title = `API key ${token.name}`;
    return administrationPage(administrator, { title, section: API_KEYS, body });
  },
};

async function factsCard(
  { sources, administrator }: AskedScreen,
  token: ShownToken,
): Promise<Html> {
  const { site } = administrator;
  const { id, name, holder = "The operators", scopes, prefix, createdAt, leakedAt } = token;
  const path = pathWith(PAGE, token);
  const tag = shownTag(await actionNamed(sources, "tokens.show"), token);
  const revoke = { path: `${path}/revoke`, text: "Revoke", about: name, tag, tone: "bad" } as const;
  const mayReplace = token.state !== "revoked" && leakedAt === undefined;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">What it may do</h2>
    <p class="badges">${stateOf(token)}</p>
    <ul>
      ${scopes.map((scope) => html`<li>${SCOPE_TEXTS[scope]}</li>`)}
    </ul>
    <dl class="pairs spread">
      ${pair("Holder", html`<span class="said">${holder}</span>`)}
      ${pair("Limits", limitsText(token))} ${pair("Begins with", html`<code>${prefix}</code>`)}
      ${pair("Last use", html`${lastUseOf(token, site.now)}`)}
      ${pair("Expires", html`${expiryOf(token, site.now)}`)}
      ${pair("Created", timeAgo(new Date(createdAt), site.now))}
      ${linkedKey(administrator.address.root, "Made with", token.parentId)}
      ${linkedKey(administrator.address.root, "Replaces", token.replaces)}
      ${leakedAt !== undefined && pair("Reported", timeAgo(new Date(leakedAt), site.now))}
    </dl>
    <div class="buttons">
      ${mayReplace && formLink(administrator, `${path}/replace`, "Replace")}
      ${token.state !== "revoked" && actionButton(administrator, revoke)}
      ${auditLink(administrator, { token: id })}
    </div>
  </section>`;
}

function linkedKey(root: string, name: string, id: string | undefined): Html | false {
  if (id === undefined) return false;
  return pair(name, html`<a href="${root}${pathWith(PAGE, { id })}">${id.slice(0, 8)}</a>`);
}

async function madeCard(
  { sources, administrator }: AskedScreen,
  { id }: ShownToken,
): Promise<Html | false> {
  const { tokens } = await sources.actions.parts.rows();
  const made = await tokens.madeWith(id);
  if (made.length === 0) return false;
  const { root } = administrator.address;
  const links = made.slice(0, MADE_SHOWN).map(
    (one) =>
      html`<li>
        <a href="${root}${pathWith(PAGE, one)}">${one.name}</a>
        ${one.revokedAt && "(revoked)"}
      </li>`,
  );
  return html`<section class="card" aria-labelledby="made">
    <h2 id="made">${countOf(made.length, "key")} made with it</h2>
    <ul>
      ${links}
    </ul>
    ${andMore(made.length - links.length)}
  </section>`;
}

async function recordsCard(
  { sources, administrator }: AskedScreen,
  { id }: ShownToken,
): Promise<Html> {
  const input = { token: id, limit: RECORDS_SHOWN };
  const records = await readAction<{ readonly items: readonly ShownRecord[] }>(
    sources,
    administrator,
    ["audit.list", input],
  );
  const rows = (records?.items ?? []).map(
    ({ time, type, subject, address = "" }) =>
      html`<tr>
        <td>${timeAgo(new Date(time), administrator.site.now)}</td>
        <th scope="row">${type}</th>
        <td class="said">${subject}</td>
        <td>${address}</td>
      </tr>`,
  );
  const heads = ["Time", "What", "Which", "From"].map((text) => ({ text }));
  return html`<section class="card" aria-labelledby="records">
    <h2 id="records">Last changes made with it</h2>
    ${
      rows.length > 0
        ? table("Last changes made with the key", heads, rows)
        : html`<p class="soft">Nothing was changed with it.</p>`
    }
  </section>`;
}
