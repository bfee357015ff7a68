import type { BrowserSession, OwnToken, SessionUser, TokenRecord } from "@sealhouse/identity";
import { html } from "hono/html";
import { buttonForm, formField, problemList } from "../kit/forms/form-fields.ts";
import { noticeIn } from "../kit/forms/notices.ts";
import { timeAgo } from "../kit/elements/tables.ts";
import { countOf } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import type { FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { copyable } from "../kit/clients/snippets.ts";
import { sessionPage } from "../kit/page/session-page.ts";
import { EXPIRES_FIELD, tokenFields } from "./token-form.ts";
import { expiryOf, limitsOf, NEW_TOKEN, tokenPath, tokenState, tokenTable } from "./token-parts.ts";
import { TOKENS } from "../kit/page/page-paths.ts";

/** A page for a user who is signed in. */
export type OwnPage = Shown & {
  readonly session: BrowserSession;
  readonly user: SessionUser;
  /** Returns the code for the form that is sent to a path. */
  readonly proofFor: (path: string) => string;
};

const NOTICES = { revoked: "The token is revoked, with all tokens that were made with it." };

/** Renders `GET /account/tokens`. */
export function tokensPage(page: OwnPage, tokens: readonly TokenRecord[]): Promise<Response> {
  const { from, address } = page;
  const body = html`${noticeIn(from.request, NOTICES)}
    <section class="card" aria-labelledby="tokens">
      <div class="head">
        <h2 id="tokens">${countOf(tokens.length, "token")}</h2>
        <a class="button" href="${address.root}${NEW_TOKEN}">Create a token</a>
      </div>
      ${tokens.length > 0 && tokenTable(tokens, page, { isLinked: true })}
    </section>`;
  const lead = "Programs sign in with a token. A token never allows more than you may do.";
  return sessionPage(page, { title: "Your API tokens", lead, body });
}

/** Texts that were typed, and what is wrong with them. */
export type TypedForm = {
  readonly values: FormValues;
  readonly problems: readonly FieldProblem[];
};

/** Renders `GET /account/new-token`. */
export function newTokenPage(page: OwnPage, form: TypedForm): Promise<Response> {
  const { address, proofFor, user } = page;
  const { values, problems } = form;
  const fields = tokenFields(user.role);
  const field = (one: FormField) => formField(one, values, problems);
  const named = [fields.name, fields.patterns, fields.networks, fields.expires];
  const body = html`${problems.length > 0 && problemList(problems, named)}
    <form class="card form" method="post" action="${address.root}${NEW_TOKEN}" autocomplete="off">
      <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(NEW_TOKEN)}" />
      <fieldset class="fields">
        <legend>Token</legend>
        ${field(fields.name)} ${field(fields.expires)}
      </fieldset>
      <fieldset class="fields">
        <legend>Scopes</legend>
        ${fields.scopes.map(field)}
        <p class="note wide">
          You confirm a token that does more than read, or that outlives your session.
        </p>
      </fieldset>
      <fieldset class="fields">
        <legend>Only these protocols</legend>
        ${fields.protocols.map(field)}
      </fieldset>
      <fieldset class="fields">
        <legend>Further limits</legend>
        ${field(fields.patterns)} ${field(fields.networks)}
      </fieldset>
      <p class="buttons">
        <button type="submit">Create the token</button>
        <a href="${address.root}${TOKENS}">Cancel</a>
      </p>
    </form>`;
  const status = problems.length > 0 ? 422 : 200;
  return sessionPage(page, { title: "Create a token", body, status });
}

/** Renders the only page that ever shows the text of a token. */
export function createdTokenPage(
  page: OwnPage,
  { token, record }: { readonly token: string; readonly record: TokenRecord },
): Promise<Response> {
  const { address } = page;
  const { replaces } = record;
  const next =
    replaces !== undefined &&
    html`<p>
      The old token works until you revoke it. When all programs use the new one,
      <a href="${address.root}${tokenPath(replaces)}">revoke the old one</a>.
    </p>`;
  const body = html`<section class="card" aria-labelledby="created">
      <h2 id="created">${record.name}</h2>
      <p>Copy the token now. It is not shown again.</p>
      ${copyable("token", { label: "Token", lines: [token], kind: "file" })} ${next}
      <dl class="pairs spread">${facts(record)}</dl>
    </section>
    <p><a href="${address.root}${TOKENS}">All tokens</a></p>`;
  return sessionPage(page, { title: "Token created", body });
}

/** Renders `GET /account/tokens/{id}`. */
export function tokenPage(
  page: OwnPage,
  { token, made }: OwnToken,
  { values, problems }: Pick<TypedForm, "values" | "problems">,
): Promise<Response> {
  const { site } = page;
  const { createdAt, lastUsedAt, lastUsedFrom, leakedAt, revokedAt } = token;
  const body = html`${problems.length > 0 && problemList(problems, [EXPIRES_FIELD])}
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Token</h2>
      <p class="badges">${tokenState(token, site.now)}</p>
      <dl class="pairs spread">
        ${facts(token)}
        <div>
          <dt>Created</dt>
          <dd>${timeAgo(createdAt, site.now)}</dd>
        </div>
        <div>
          <dt>Last used</dt>
          <dd>
            ${lastUsedAt ? timeAgo(lastUsedAt, site.now) : "Never"}
            ${lastUsedFrom !== undefined && html`from <code>${lastUsedFrom}</code>`}
          </dd>
        </div>
      </dl>
    </section>
    ${!revokedAt && !leakedAt && replaceForm(page, token, { values, problems })}
    ${!revokedAt && revokeCard(page, { token, made })}`;
  const status = problems.length > 0 ? 422 : 200;
  return sessionPage(page, { title: token.name, body, status });
}

function facts(token: TokenRecord): Html {
  return html`<div>
      <dt>Scopes</dt>
      <dd>${token.scopes.join(", ")}</dd>
    </div>
    <div>
      <dt>Limits</dt>
      <dd>${limitsOf(token)}</dd>
    </div>
    <div>
      <dt>Expires</dt>
      <dd>${expiryOf(token)}</dd>
    </div>`;
}

function replaceForm(
  { address, proofFor }: OwnPage,
  { id }: TokenRecord,
  { values, problems }: Pick<TypedForm, "values" | "problems">,
): Html {
  const path = tokenPath(id, "replace");
  return html`<form class="card" method="post" action="${address.root}${path}" autocomplete="off">
    <h2>Replace</h2>
    <p>
      The new token has the same name, scopes and limits. The old one works until you revoke it.
    </p>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(path)}" />
    <div class="form two">${formField(EXPIRES_FIELD, values, problems)}</div>
    <p class="buttons"><button type="submit">Replace the token</button></p>
  </form>`;
}

function revokeCard(page: OwnPage, { token, made }: OwnToken): Html {
  const { address, proofFor } = page;
  const path = tokenPath(token.id, "revoke");
  const revoke = buttonForm({
    action: address.root + path,
    proof: proofFor(path),
    text: "Revoke the token",
    tone: "bad",
  });
  return html`<section class="card" aria-labelledby="revoke">
    <h2 id="revoke">Revoke</h2>
    ${
      made.length > 0
        ? html`<p>These tokens were made with it, and end with it:</p>
            ${tokenTable(made, page, { isLinked: true })}`
        : html`<p>No other token was made with it.</p>`
    }
    <div class="buttons">${revoke}</div>
  </section>`;
}
