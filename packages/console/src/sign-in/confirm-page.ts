import type {
  BrowserSession,
  PasskeyRecord,
  SessionUser,
  WaitingConfirmation,
} from "@sealhouse/identity";
import { LASTING_ACTION_TEXTS, passkeySiteOf, startConfirmation } from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FormField } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { ACCOUNT } from "./account-page.ts";
import { CONFIRM } from "./confirmation.ts";
import { NEW_PASSKEY, passkeyForm } from "./passkey-form.ts";
import { mayAddPasskey, partsOf } from "./passkey-routes.ts";
import { PASSKEYS_NEED } from "./passkeys-card.ts";
import { sessionPage } from "../kit/page/session-page.ts";
import type { SessionPorts } from "./session-ports.ts";

/** A session that must confirm a form. `problem`: why the last attempt was refused. */
export type AskedConfirmation = {
  readonly id: string;
  readonly form: WaitingConfirmation;
  readonly session: BrowserSession;
  readonly problem?: string;
  /** The host has just printed a code. */
  readonly isCodePrinted?: boolean;
};

export const TOKEN_FIELD: FormField = {
  name: "token",
  label: "API token",
  kind: "password",
  isRequired: true,
  lengthMax: 1_000,
  help: "The token that you signed in with.",
};
export const CODE_FIELD: FormField = {
  name: "code",
  label: "Code",
  kind: "text",
  isRequired: true,
  lengthMax: 20,
  help: "Such as BCDF-2345.",
};
/** Last part of the path that prints a code. */
export const PRINT_CODE = "code";

/** The fields that the code of the form is for. */
export function fieldsOf(id: string): string[] {
  return ["confirm", id];
}

/** Renders the page that states the action, and how the session confirms it. */
export async function confirmPage(
  ports: SessionPorts,
  shown: Shown,
  asked: AskedConfirmation,
): Promise<Response> {
  const { form, session, problem } = asked;
  const problems = problem === undefined ? [] : [{ name: "Confirmation", words: problem }];
  const ways = session.user
    ? await waysOfUser(ports, shown, asked)
    : tokenForm(ports, shown, asked);
  return sessionPage(shown, {
    title: form.isConfirmed ? "Confirmed" : "Confirm that it is you",
    lead: `You are about to ${LASTING_ACTION_TEXTS[form.action]}.`,
    body: html`${problems.length > 0 && problemList(problems, [])}
      <section class="card" aria-labelledby="subject">
        <h2 id="subject">Change</h2>
        <p class="said">${form.subject}</p>
        <p class="note">
          Your form is kept for ten minutes. The confirmation is for this change only.
        </p>
        <p><a href="${shown.address.root}${form.backPath}">Cancel</a></p>
      </section>
      ${ways}`,
    status: problem === undefined ? 200 : 403,
  });
}

async function waysOfUser(
  ports: SessionPorts,
  shown: Shown,
  asked: AskedConfirmation,
): Promise<Html> {
  const { address } = shown;
  const { session, form } = asked;
  const { user, hash: sessionHash } = session;
  if (form.isConfirmed) return continueForm(ports, shown, asked);
  const site = passkeySiteOf(address.base);
  const act = { action: form.action, subject: form.hash };
  const options =
    user && site
      ? await startConfirmation(partsOf(ports), { user, sessionHash, site }, act)
      : undefined;
  const provider = ports.flow?.provider;
  const hasTerminal = ports.terminal !== undefined && ports.isLocalPeer(shown.from);
  return html`${
    options &&
    passkeyForm({
      kind: "get",
      options,
      proof: proofOf(ports, shown, asked),
      action: pathOf(shown, asked),
      title: "With a passkey",
      button: "Use a passkey",
      fields: html``,
    })
  }
  ${provider?.canAskAgain && providerCard(shown, provider, asked)}
  ${!options && (await withoutPasskey(ports, shown, session))}
  ${hasTerminal && terminalCard(ports, shown, asked)}`;
}

/** The person signed in again for this form. */
function continueForm(ports: SessionPorts, shown: Shown, asked: AskedConfirmation): Html {
  return html`<form class="card" method="post" action="${pathOf(shown, asked)}">
    <p>You signed in again.</p>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofOf(ports, shown, asked)}" />
    <p class="buttons"><button type="submit">Continue</button></p>
  </form>`;
}

/** A link: browsers block forms whose answer redirects to another site. */
function providerCard(
  shown: Shown,
  { name, label }: { readonly name: string; readonly label: string },
  asked: AskedConfirmation,
): Html {
  return html`<section class="card" aria-labelledby="provider">
    <h2 id="provider">With your organization's account</h2>
    <p>${label} asks for your password or passkey again.</p>
    <p>
      <a class="button" href="${pathOf(shown, asked)}/with/${name}">Confirm with ${label}</a>
    </p>
  </section>`;
}

/** For the first administrator, who has no provider, and perhaps no device with passkeys. */
function terminalCard(ports: SessionPorts, shown: Shown, asked: AskedConfirmation): Html {
  const { isCodePrinted = false } = asked;
  const proof = html`<input
    type="hidden"
    name="${PROOF_FIELD}"
    value="${proofOf(ports, shown, asked)}"
  />`;
  const none = new URLSearchParams();
  return html`<section class="card" aria-labelledby="terminal">
    <h2 id="terminal">With a code from the terminal</h2>
    <p>
      ${
        isCodePrinted
          ? "The registry has printed a code in the terminal where it runs."
          : "The registry prints a code in the terminal where it runs, as it printed your link."
      }
    </p>
    <form method="post" action="${pathOf(shown, asked)}/${PRINT_CODE}">
      ${proof}
      <p class="buttons"><button type="submit" class="quiet">Print a new code</button></p>
    </form>
    <form method="post" action="${pathOf(shown, asked)}" autocomplete="off">
      ${proof}
      <div class="form">${formField(CODE_FIELD, none, [])}</div>
      <p class="buttons"><button type="submit">Confirm</button></p>
    </form>
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
    return html`<p>
      <a class="button" href="${address.root}${NEW_PASSKEY}">Add a passkey</a> Then send the form
      again.
    </p>`;
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
  { flow, terminal }: SessionPorts,
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
  if (terminal) {
    return html`<p>
      Confirm with a code from the terminal. With the next one,
      <a href="${address.root}${NEW_PASSKEY}">add a passkey</a>.
    </p>`;
  }
  const options = `--name ${user.handle} --user ${user.handle} --scopes admin --expires 12h`;
  return html`<p>
    Only a token signs in here. Create one on the registry's machine, and sign in with it:
    <code>${site.command} token create ${options}</code>
  </p>`;
}

function tokenForm(ports: SessionPorts, shown: Shown, asked: AskedConfirmation): Html {
  const none = new URLSearchParams();
  return html`<form
    class="card"
    method="post"
    action="${pathOf(shown, asked)}"
    aria-labelledby="with-token"
    autocomplete="off"
  >
    <h2 id="with-token">With the same token</h2>
    <input type="hidden" name="${PROOF_FIELD}" value="${proofOf(ports, shown, asked)}" />
    <div class="form">${formField(TOKEN_FIELD, none, [])}</div>
    <p class="buttons"><button type="submit">Confirm</button></p>
  </form>`;
}

function pathOf({ address }: Shown, { id }: AskedConfirmation): string {
  return `${address.root}${CONFIRM}/${id}`;
}

function proofOf({ forms }: SessionPorts, { from }: Shown, { id }: AskedConfirmation): string {
  return forms.make(from, fieldsOf(id));
}
