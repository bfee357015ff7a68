import {
  formatCookie,
  formatDeletion,
  isSecret,
  makeSecret,
  parseReturnPath,
} from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FieldProblem, FormField } from "../kit/forms/form-fields.ts";
import { checkProof, isFromElsewhere, makeProof, PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { readForm } from "../kit/forms/posted-form.ts";
import { refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { NEEDS_HTTPS, needsHttps, SIGN_IN } from "../kit/page/visitor.ts";
import { refusedForm, sessionPage } from "../kit/page/session-page.ts";
import { cookiesOf, FORM_BYTES_MAX, originOf, seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

const TOKEN_FIELD: FormField = {
  name: "token",
  label: "API token",
  kind: "password",
  isRequired: true,
  lengthMax: 1_000,
  help: "The session has the rights of the token, and ends with it.",
};
const RETURN_URL = "returnUrl";
const FORM = ["sign-in"];

/** Adds `GET` and `POST /sign-in`. */
export function addTokenSignIn(app: Hono, ports: SessionPorts): void {
  app.get(SIGN_IN, (c) =>
    shownPage(ports, c, (shown) => {
      const returnPath = parseReturnPath(c.req.query(RETURN_URL));
      const session = ports.sessionOf(shown.from);
      if (session) {
        const path = returnPath === "/" ? "/account" : returnPath;
        return seeOther(shown.address.root + path);
      }
      return signInPage(ports, shown, { returnPath });
    }),
  );
  app.post(SIGN_IN, (c) => shownPage(ports, c, (shown) => signInWithToken(ports, c, shown)));
}

type SignInState = { readonly returnPath: string; readonly problem?: string };

function signInPage(
  ports: SessionPorts,
  shown: Shown,
  { returnPath, problem }: SignInState,
): Promise<Response> {
  const title = `Sign in to ${shown.site.name}`;
  if (needsHttps(shown.address)) return sessionPage(shown, { title, lead: NEEDS_HTTPS });
  const { form } = ports.cookies;
  const knownKey = cookiesOf(shown.from).get(form);
  const isKnown = knownKey !== undefined && isSecret(knownKey);
  const key = isKnown ? knownKey : makeSecret(ports.random);
  const problems = problem === undefined ? [] : [{ name: TOKEN_FIELD.name, words: problem }];
  const proof = makeProof(key, FORM, ports.rules.now());
  const body = html`${problems.length > 0 && problemList(problems, [TOKEN_FIELD])}
  ${ports.flow && providerCard(shown, ports.flow.provider, returnPath)}
  ${tokenCard(shown, { returnPath, proof, problems })}`;
  return sessionPage(shown, {
    title,
    body,
    status: problem === undefined ? 200 : 422,
    setCookies: isKnown ? [] : [formatCookie(form, key)],
  });
}

/** A link: browsers block forms whose answer redirects to another site. */
function providerCard(
  { address }: Shown,
  { name, label }: { readonly name: string; readonly label: string },
  returnPath: string,
): Html {
  const query = new URLSearchParams({ [RETURN_URL]: returnPath }).toString();
  return html`<section class="card" aria-labelledby="provider">
    <h2 id="provider">Your organization's account</h2>
    <p>
      <a class="button" href="${address.root}${SIGN_IN}/with/${name}?${query}">
        Sign in with ${label}
      </a>
    </p>
  </section>`;
}

function tokenCard(
  { address }: Shown,
  form: {
    readonly returnPath: string;
    readonly proof: string;
    readonly problems: readonly FieldProblem[];
  },
): Html {
  return html`<form
    class="card"
    method="post"
    action="${address.root}${SIGN_IN}"
    aria-labelledby="with-token"
    autocomplete="off"
  >
    <h2 id="with-token">With an API token</h2>
    <input type="hidden" name="${PROOF_FIELD}" value="${form.proof}" />
    <input type="hidden" name="${RETURN_URL}" value="${form.returnPath}" />
    <div class="form">${formField(TOKEN_FIELD, new URLSearchParams(), form.problems)}</div>
    <p class="buttons"><button type="submit">Sign in</button></p>
  </form>`;
}

async function signInWithToken(ports: SessionPorts, c: Context, shown: Shown): Promise<Response> {
  const { from, address, site } = shown;
  const { rules, cookies, sessions } = ports;
  const key = cookiesOf(from).get(cookies.form);
  if (key === undefined || ports.forms.isFromElsewhere(from, address)) return refusedForm(shown);
  // A sign-in of another site is an attack, too.
  if (isFromElsewhere(from.request, { address, origins: [], hasSession: true })) {
    return refusedForm(shown);
  }
  const values = await readForm(c, FORM_BYTES_MAX);
  const proof = values?.get(PROOF_FIELD) ?? undefined;
  const now = rules.now();
  if (!values || checkProof(key, { fields: FORM, proof, now }) !== "valid") {
    return refusedForm(shown);
  }
  const returnPath = parseReturnPath(values.get(RETURN_URL));
  const secret = values.get(TOKEN_FIELD.name)?.trim() ?? "";
  if (secret === "") return signInPage(ports, shown, { returnPath, problem: "is required" });
  const origin = originOf(ports, from);
  const credentials = { type: "secret", secret, via: "bearer" } as const;
  const result = await rules.authenticator.authenticate(credentials, origin.address);
  switch (result.status) {
    case "limited":
      return refusalPageResponse(site, address, result);
    case "invalid":
      return signInPage(ports, shown, { returnPath, problem: `is not valid. ${result.reason}` });
    case "none":
      return signInPage(ports, shown, { returnPath, problem: "is required" });
    case "principal": {
      const token = result.principal;
      const opened = await sessions.open({ ...origin, holder: { token }, method: "token" });
      return seeOther(address.root + returnPath, [
        formatCookie(cookies.session, opened),
        formatDeletion(cookies.form),
      ]);
    }
  }
}
