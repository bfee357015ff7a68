import { ADMINISTRATIVE_SCOPES, scopesBeyond } from "@sealhouse/identity";
import type { Scope, SessionUser } from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { pageResponse } from "../kit/page/page-response.ts";
import type { Site } from "../kit/page/model.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { copyable } from "../kit/clients/snippets.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { scopeFields, valuesOfScopes } from "../kit/forms/scope-fields.ts";
import { needsHttps, signInPath } from "../kit/page/visitor.ts";

/** A user who may decide about a sign-in of a command-line client. */
export type Decider = Pick<SessionUser, "handle" | "role"> & { readonly proof: string };

/** Who may decide, and the problem with the form that was sent. */
export type ShownDecision = {
  readonly decider?: Decider | undefined;
  readonly problem?: string;
};

/** Renders the code and the operator's commands. Without `page`, the code is unknown or expired. */
export function signInPageResponse(
  site: Site,
  address: PublicAddress,
  page: SignInPage | undefined,
  shownDecision: ShownDecision = {},
): Promise<Response> {
  const main = html`<main id="content">
    <div class="top">
      <div class="wrap">
        <h1>${headline(site, page)}</h1>
        <p class="lead">${explanation(page)}</p>
      </div>
    </div>
    ${
      page?.state === "waiting" &&
      html`<div class="wrap columns">
        ${page.purpose === "login" && ownCard(site, address, page, shownDecision)}
        ${card(site, page)}
      </div>`
    }
  </main>`;
  const status = !page ? 404 : shownDecision.problem === undefined ? 200 : 422;
  return pageResponse(site, address, { title: "Sign in", main }, { status });
}

function headline(site: Site, page: SignInPage | undefined): string {
  if (!page) return "Unknown or expired code";
  switch (page.state) {
    case "waiting":
      return page.purpose === "login" ? `Sign in to ${site.name}` : `Confirm at ${site.name}`;
    case "agreed":
      return "Approved";
    case "denied":
      return "Denied";
    case "ended":
      return "Code expired";
  }
}

function explanation(page: SignInPage | undefined): string {
  if (!page) return "Check the code, or run the command again.";
  switch (page.state) {
    case "waiting":
      return "Your command waits until the operator of this registry approves it.";
    case "agreed":
      return "Your command continues. You can close this page.";
    case "denied":
      return "Ask the operator of this registry for the reason, then run the command again.";
    case "ended":
      return "The operator did not approve it within ten minutes. Run the command again.";
  }
}

/** Lets a person approve the sign-in of the person's own client. */
function ownCard(
  site: Site,
  address: PublicAddress,
  page: SignInPage,
  { decider, problem }: ShownDecision,
): Html | false {
  const { code, scopes } = page;
  if (!site.visitor || needsHttps(address)) return false;
  if (!decider) {
    if (site.visitor.name !== undefined) return false;
    return html`<section class="card" aria-labelledby="own">
      <h2 id="own">Your own command</h2>
      <p>Sign in to approve it yourself, if you have an account.</p>
      <p><a class="button" href="${signInPath(site, address)}">Sign in</a></p>
    </section>`;
  }
  const mayApprove = !scopes || scopesBeyond(decider.role, ADMINISTRATION).length === 0;
  return html`<form
    class="card${scopes ? " form" : ""}"
    method="post"
    aria-labelledby="own"
    autocomplete="off"
  >
    <h2 id="own">Your own command</h2>
    <p>
      Did you start the command that shows <code>${code}</code>? It then signs in as
      ${decider.handle}${scopes ? html`, and administers this registry` : ""}.
    </p>
    ${scopes && !mayApprove && html`<p>${NOT_YOURS}</p>`}
    <input type="hidden" name="${PROOF_FIELD}" value="${decider.proof}" />
    ${scopes && mayApprove && scopeBoxes(page, problem)}
    <p class="buttons">
      ${mayApprove && html`<button type="submit" name="decision" value="approve">Approve</button>`}
      <button type="submit" class="quiet" name="decision" value="deny">Deny</button>
    </p>
  </form>`;
}

/** Days for which a token of `sealhouse login` administers. */
export const ADMINISTRATION_DAYS = 30;

/** Scopes that a client may ask for. */
const ADMINISTRATION: readonly Scope[] = ["admin", ...ADMINISTRATIVE_SCOPES];
const NOT_YOURS =
  "The command asks to administer this registry, which your role does not allow. Deny it, or ask " +
  "an administrator to open this page.";

/** The scopes that the client asks for are ticked; the person decides. */
function scopeBoxes({ scopes = [], address }: SignInPage, problem: string | undefined): Html {
  const values = valuesOfScopes(problem === undefined ? scopes : []);
  const fields = scopeFields(ADMINISTRATION);
  const problems = problem === undefined ? [] : [{ name: "Scopes", words: problem }];
  return html`${problems.length > 0 && problemList(problems, fields)}
    <fieldset class="fields">
      <legend>Scopes</legend>
      ${fields.map((one) => formField(one, values, []))}
      <p class="note wide">
        The token is valid for ${ADMINISTRATION_DAYS} days.
        ${address !== undefined && html`The request came from <code>${address}</code>.`}
      </p>
    </fieldset>`;
}

function card({ command }: Site, page: SignInPage): Html {
  const { code, purpose, until, address, scopes } = page;
  const limits = scopes ? ` --scopes ${scopes.join(",")} --protocols nuget,npm,oci` : "";
  const line =
    purpose === "login"
      ? `${command} npm login ${code} --name alice${limits}`
      : `${command} npm confirm ${code}`;
  return html`<section class="card" aria-labelledby="code">
    <h2 id="code">Your code: <code>${code}</code></h2>
    <p>Give this code to the operator. The operator runs a command on the registry's machine:</p>
    ${copyable("agree", { label: "Approve", lines: [line] })}
    ${copyable("deny", { label: "Deny", lines: [`${command} npm deny ${code}`] })}
    <p class="note">
      Operator: approve only codes from people you know.
      ${address !== undefined && html`The request came from <code>${address}</code>.`} The code is
      valid until
      <time datetime="${until.toISOString()}">${until.toISOString().slice(11, 16)} UTC</time>.
    </p>
    <p class="note">Reload this page to see the answer.</p>
  </section>`;
}

/** A pending sign-in or confirmation that a command-line client started. */
export type SignInPage = {
  /** The code that the operator types, such as `BCDF-2345`. */
  readonly code: string;
  /** `login` returns a token to the client; `confirm` approves the client's pending action. */
  readonly purpose: "login" | "confirm";
  readonly state: "waiting" | "agreed" | "denied" | "ended";
  readonly until: Date;
  /** Network address of the client. */
  readonly address?: string;
  /** The scopes with which the client asks to administer. Undefined: it asks for access to npm. */
  readonly scopes?: readonly Scope[];
};
