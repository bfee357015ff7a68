import type {
  BrowserSession,
  LastingAction,
  PasskeyRecord,
  SessionUser,
} from "@sealhouse/identity";
import {
  LASTING_ACTION_TEXTS,
  LASTING_ACTIONS,
  parseReturnPath,
  passkeySiteOf,
  startConfirmation,
} from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../kit/document.ts";
import { formField, problemList } from "../kit/form-fields.ts";
import type { FormField } from "../kit/form-fields.ts";
import { PROOF_FIELD } from "../kit/page-forms.ts";
import type { Shown } from "../kit/shown-page.ts";
import { ACCOUNT } from "./account-page.ts";
import { CONFIRM } from "./confirmation.ts";
import type { WantedConfirmation } from "./confirmation.ts";
import { NEW_PASSKEY, passkeyForm } from "./passkey-form.ts";
import { mayAddPasskey, partsOf } from "./passkey-routes.ts";
import { PASSKEYS_NEED } from "./passkeys-card.ts";
import { sessionPage } from "./session-page.ts";
import type { SessionPorts } from "./session-ports.ts";

/** A session that must confirm an action. `problem`: why the last attempt was refused. */
export type AskedConfirmation = WantedConfirmation & {
  readonly session: BrowserSession;
  readonly problem?: string;
};

export const TOKEN_FIELD: FormField = {
  name: "token",
  label: "API token",
  kind: "password",
  isRequired: true,
  lengthMax: 1_000,
  help: "The token that you signed in with.",
};
const RETURN_URL = "returnUrl";

/** Reads the action and the local path; undefined for an unknown action. */
export function parseConfirmation(
  values: Pick<URLSearchParams, "get">,
): WantedConfirmation | undefined {
  const action = LASTING_ACTIONS.find((known) => known === values.get("action"));
  return action && { action, returnPath: parseReturnPath(values.get(RETURN_URL)) };
}

/** The fields that the code of the form is for. */
export function fieldsOf(values: Pick<URLSearchParams, "get">): string[] {
  return ["confirm", values.get("action") ?? "", values.get(RETURN_URL) ?? ""];
}

/** Renders the page that states the action, and how the session confirms it. */
export async function confirmPage(
  ports: SessionPorts,
  shown: Shown,
  asked: AskedConfirmation,
): Promise<Response> {
  const { action, session, problem } = asked;
  const problems = problem === undefined ? [] : [{ name: "Confirmation", words: problem }];
  const ways = session.user
    ? await waysOfUser(ports, shown, asked)
    : tokenForm(ports, shown, asked);
  return sessionPage(shown, {
    title: "Confirm that it is you",
    lead: `You are about to ${wordsOf(action)}. The confirmation is valid for ten minutes.`,
    body: html`${problems.length > 0 && problemList(problems, [])} ${ways}`,
    asksForPasskey: true,
    status: problem === undefined ? 200 : 403,
  });
}

function wordsOf(action: LastingAction): string {
  return LASTING_ACTION_TEXTS[action];
}

async function waysOfUser(
  ports: SessionPorts,
  shown: Shown,
  asked: AskedConfirmation,
): Promise<Html> {
  const { address } = shown;
  const { session, action } = asked;
  const { user, hash: sessionHash } = session;
  const site = passkeySiteOf(address.base);
  const options =
    user && site
      ? await startConfirmation(partsOf(ports), { user, sessionHash, site }, { action })
      : undefined;
  const provider = ports.flow?.provider;
  return html`${
    options &&
    passkeyForm({
      kind: "get",
      options,
      proof: proofOf(ports, shown, asked),
      action: address.root + CONFIRM,
      title: "With a passkey",
      button: "Use a passkey",
      fields: wantedFields(asked),
    })
  }
  ${provider?.canAskAgain && providerCard(shown, provider, asked)}
  ${!options && (await withoutPasskey(ports, shown, session))}`;
}

/** A link: browsers block forms whose answer redirects to another site. */
function providerCard(
  { address }: Shown,
  { name, label }: { readonly name: string; readonly label: string },
  { returnPath }: WantedConfirmation,
): Html {
  const query = new URLSearchParams({ [RETURN_URL]: returnPath }).toString();
  return html`<section class="card" aria-labelledby="provider">
    <h2 id="provider">With your organization's account</h2>
    <p>${label} asks for your password or passkey again.</p>
    <p>
      <a class="button" href="${address.root}${CONFIRM}/with/${name}?${query}">
        Confirm with ${label}
      </a>
    </p>
  </section>`;
}

/** Tells a user without a passkey for this address how to get one. */
async function withoutPasskey(
  ports: SessionPorts,
  shown: Shown,
  session: BrowserSession,
): Promise<Html> {
  return html`<section class="card" aria-labelledby="no-passkey">
    <h2 id="no-passkey">You have no passkey for this address</h2>
    ${await wayToPasskey(ports, shown, session)}
  </section>`;
}

async function wayToPasskey(
  ports: SessionPorts,
  { address, site }: Shown,
  session: BrowserSession,
): Promise<Html> {
  const { user } = session;
  if (!user || !passkeySiteOf(address.base)) return html`<p>${PASSKEYS_NEED}</p>`;
  // Those of other addresses, too: a new address does not make the next passkey a first one.
  const known = await ports.passkeys.passkeys.list(user.id);
  if (mayAddPasskey(ports, session, known)) {
    return html`<p><a class="button" href="${address.root}${NEW_PASSKEY}">Add a passkey</a></p>`;
  }
  const provider = ports.flow?.provider;
  if (provider?.canAskAgain) {
    return html`<p>
      Confirm with ${provider.label}, and then add a passkey on the page of
      <a href="${address.root}${ACCOUNT}">your account</a>.
    </p>`;
  }
  const cannotAsk =
    provider &&
    html`<p>
      ${provider.label} cannot ask you to sign in again, so that only a passkey confirms this.
    </p>`;
  return html`${cannotAsk} ${wayBySignIn(ports, { address, site }, { user, known })}`;
}

function wayBySignIn(
  { flow }: SessionPorts,
  { address, site }: Pick<Shown, "address" | "site">,
  { user, known }: { readonly user: SessionUser; readonly known: readonly PasskeyRecord[] },
): Html {
  if (known.length > 0) {
    return html`<p>
      Your passkeys belong to another address. Ask an operator to remove them:
      <code>${site.command} user forget-passkeys ${user.handle}</code>
    </p>`;
  }
  if (flow) {
    return html`<p>
      <a href="${address.root}${ACCOUNT}">Sign out</a>, sign in again, and add a first passkey on
      the page of your account within ten minutes.
    </p>`;
  }
  const options = `--name ${user.handle} --user ${user.handle} --scopes admin --expires 12h`;
  return html`<p>
    Stay signed in until you have a token, because only a token signs in here. Create one on the
    registry's machine, and sign in with it: <code>${site.command} token create ${options}</code>
  </p>`;
}

function tokenForm(ports: SessionPorts, shown: Shown, asked: AskedConfirmation): Html {
  const none = new URLSearchParams();
  return html`<form
    class="card"
    method="post"
    action="${shown.address.root}${CONFIRM}"
    aria-labelledby="with-token"
    autocomplete="off"
  >
    <h2 id="with-token">With the same token</h2>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofOf(ports, shown, asked)}" />
    ${wantedFields(asked)}
    <div class="form">${formField(TOKEN_FIELD, none, [])}</div>
    <p class="buttons"><button type="submit">Confirm</button></p>
  </form>`;
}

function wantedFields({ action, returnPath }: WantedConfirmation): Html {
  return html`<input type="hidden" name="action" value="${action}" />
    <input type="hidden" name="${RETURN_URL}" value="${returnPath}" />`;
}

function proofOf(
  { forms }: SessionPorts,
  { from }: Shown,
  { action, returnPath }: WantedConfirmation,
): string {
  return forms.make(from, fieldsOf(new URLSearchParams({ action, [RETURN_URL]: returnPath })));
}
