import type { ServiceAccount, Team, TokenRecord } from "@sealhouse/identity";
import { html } from "hono/html";
import { ACCOUNTS, administrationPage, teamPath } from "../administration/administration-page.ts";
import { buttonForm, problemList } from "../kit/forms/form-fields.ts";
import { noticeIn } from "../kit/forms/notices.ts";
import type { Administrator } from "../administration/administrator.ts";
import { table, timeAgo } from "../kit/elements/tables.ts";
import { countOf } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import type { FieldProblem, FormField } from "../kit/forms/form-fields.ts";
import { tokenTable } from "../tokens/token-parts.ts";
import { stateBadge } from "./people-parts.ts";
import { fieldsForm } from "./teams-page.ts";
import type { TypedTexts } from "./teams-page.ts";

const NOTICES = {
  added: "The service account was added. It has no tokens yet.",
  blocked: "The service account is blocked: its tokens do not work.",
  active: "The service account is active: its tokens work again.",
};

function accountFields(teams: readonly Team[]): readonly FormField[] {
  const choices = [
    { value: "", text: "No team" },
    ...teams.map(({ handle }) => ({ value: handle, text: handle })),
  ];
  return [
    {
      name: "name",
      label: "Name",
      kind: "text",
      isRequired: true,
      lengthMax: 39,
      help: "Lower-case letters, digits and dashes. It never changes.",
    },
    { name: "team", label: "Team", kind: { choices }, help: "It owns names through its team." },
  ];
}

/** Path of the page of a service account, or of a form on it, without the path of the registry. */
export function accountPath(name: string, action?: "block" | "unblock"): string {
  const path = `${ACCOUNTS}/${encodeURIComponent(name)}`;
  return action === undefined ? path : `${path}/${action}`;
}

/** Service accounts, and the teams that they may belong to. */
export type ListedAccounts = {
  readonly accounts: readonly ServiceAccount[];
  readonly teams: readonly Team[];
};

/** Renders `GET /administration/accounts`. */
export function accountsPageResponse(
  administrator: Administrator,
  { accounts, teams }: ListedAccounts,
  typed: TypedTexts = {},
): Promise<Response> {
  const { address } = administrator;
  const { problems = [] } = typed;
  const fields = accountFields(teams);
  const rows = accounts.map(
    ({ name, state, teamId }) =>
      html`<tr>
        <th scope="row"><a href="${address.root}${accountPath(name)}">${name}</a></th>
        <td>${stateBadge(state)}</td>
        <td>${teams.find(({ id }) => id === teamId)?.handle ?? "None"}</td>
      </tr>`,
  );
  const heads = ["Service account", "State", "Team"].map((text) => ({ text }));
  const form = { path: ACCOUNTS, title: "Add a service account", fields, ...typed };
  const body = html`${problems.length > 0 && problemList(problems, fields)}
    <section class="card" aria-labelledby="accounts">
      <h2 id="accounts">${countOf(rows.length, "service account")}</h2>
      <p>Callers such as build servers: the scopes of their tokens decide.</p>
      ${rows.length > 0 && table("Service accounts", heads, rows)}
    </section>
    ${fieldsForm(administrator, form)}`;
  const page = { title: "Service accounts", section: ACCOUNTS, body } as const;
  return administrationPage(administrator, page, problems.length > 0 ? 422 : 200);
}

/** Everything that the page of a service account shows. */
export type ShownAccount = {
  readonly account: ServiceAccount;
  readonly team: Team | undefined;
  readonly tokens: readonly TokenRecord[];
  readonly problems?: readonly FieldProblem[];
};

/** Renders `GET /administration/accounts/{name}`. */
export function accountPageResponse(
  administrator: Administrator,
  { account, team, tokens, problems = [] }: ShownAccount,
): Promise<Response> {
  const { from, site, address } = administrator;
  const { name, state, createdAt } = account;
  const noTokens = html`<p class="soft">
    To create one: <code>${site.command} token create --account ${name} --name ci</code>
  </p>`;
  const body = html`${noticeIn(from.request, NOTICES)}
    ${problems.length > 0 && problemList(problems, [])}
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Service account</h2>
      <p class="badges">${stateBadge(state)}</p>
      <dl class="pairs spread">
        <div>
          <dt>Team</dt>
          <dd>
            ${
              team
                ? html`<a href="${address.root}${teamPath(team.handle)}">${team.handle}</a>`
                : "None"
            }
          </dd>
        </div>
        <div>
          <dt>Added</dt>
          <dd>${timeAgo(createdAt, site.now)}</dd>
        </div>
      </dl>
      <div class="buttons">${stateButton(administrator, account)}</div>
    </section>
    <section class="card" aria-labelledby="tokens">
      <h2 id="tokens">${countOf(tokens.length, "token")}</h2>
      ${tokens.length > 0 ? tokenTable(tokens, { site, address }) : noTokens}
    </section>`;
  const audit = { subject: `account/${name}` };
  const page = { title: name, section: ACCOUNTS, body, audit } as const;
  return administrationPage(administrator, page, problems.length > 0 ? 422 : 200);
}

function stateButton({ address, proofFor }: Administrator, account: ServiceAccount): Html {
  const isBlocked = account.state === "blocked";
  const path = accountPath(account.name, isBlocked ? "unblock" : "block");
  return buttonForm({
    action: address.root + path,
    proof: proofFor(path),
    text: isBlocked ? "End the block" : "Block the service account",
    tone: isBlocked ? "quiet" : "bad",
  });
}
