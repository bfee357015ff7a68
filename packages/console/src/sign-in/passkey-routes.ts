import type { BrowserSession, PasskeyHolder, PasskeyRecord } from "@sealhouse/identity";
import {
  finishRegistration,
  mayRegisterPasskey,
  passkeySiteOf,
  startRegistration,
} from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { countOf } from "../kit/elements/format.ts";
import { lastUse } from "../kit/forms/ask-first.ts";
import { askSession } from "../kit/forms/step-up.ts";
import { formField, problemList } from "../kit/forms/form-fields.ts";
import type { FormField } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { ACCOUNT } from "./account-page.ts";
import { askConfirmation } from "./confirmation.ts";
import {
  answerIn,
  NEW_PASSKEY,
  passkeyForm,
  REMOVE_PASSKEY,
  START_PASSKEY,
} from "./passkey-form.ts";
import { PASSKEYS_NEED } from "./passkeys-card.ts";
import { sentForm } from "./sent-form.ts";
import { refusedForm, sessionPage } from "../kit/page/session-page.ts";
import { callerOf, seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

const NAME_FIELD: FormField = {
  name: "name",
  label: "Name",
  kind: "text",
  lengthMax: 100,
  help: "Such as Laptop or Security key. Only you see it.",
};
const TITLE = "Add a passkey";

/** Adds the pages that add and remove passkeys. */
export function addPasskeyRoutes(app: Hono, ports: SessionPorts): void {
  app.get(NEW_PASSKEY, (c) =>
    shownPage(ports, c, (shown) =>
      registering(ports, shown, (one) =>
        one.isFree ? newPage(ports, shown, one) : startPage(ports, shown),
      ),
    ),
  );
  app.post(START_PASSKEY, (c) =>
    shownPage(ports, c, async (shown) => {
      const values = await sentForm(ports, shown, { c, fieldsOf: () => [START_PASSKEY] });
      if (!values) return refusedForm(shown);
      return registering(ports, shown, (one) => startPasskey(ports, shown, { ...one, values }));
    }),
  );
  app.post(NEW_PASSKEY, (c) =>
    shownPage(ports, c, async (shown) => {
      const values = await sentForm(ports, shown, { c, fieldsOf: () => [NEW_PASSKEY] });
      if (!values) return refusedForm(shown);
      return registering(ports, shown, (one) => addPasskey(ports, shown, { ...one, values }));
    }),
  );
  app.post(REMOVE_PASSKEY, (c) => shownPage(ports, c, (shown) => removePasskey(ports, shown, c)));
}

type Registering = {
  readonly session: BrowserSession;
  readonly holder: PasskeyHolder;
  /** Whether no confirmation is necessary. */
  readonly isFree: boolean;
};

/** Continues for a user at an address with passkeys; others sign in first. */
async function registering(
  ports: SessionPorts,
  shown: Shown,
  act: (registering: Registering) => Promise<Response>,
): Promise<Response> {
  const { address, from } = shown;
  const session = ports.sessionOf(from);
  if (!session?.user) return seeOther(address.root + ACCOUNT);
  const site = passkeySiteOf(address.base);
  if (!site) return sessionPage(shown, { title: TITLE, lead: PASSKEYS_NEED, status: 400 });
  const { user, hash: sessionHash } = session;
  const known = await ports.passkeys.passkeys.list(user.id);
  const isFree = mayAddPasskey(ports, session, known);
  return act({ session, holder: { user, sessionHash, site }, isFree });
}

function startPage(ports: SessionPorts, shown: Shown): Promise<Response> {
  const body = html`<form method="post" action="${shown.address.root}${START_PASSKEY}">
    <input
      type="hidden"
      name="${PROOF_FIELD}"
      value="${ports.forms.make(shown.from, [START_PASSKEY])}"
    />
    <p class="buttons"><button type="submit">Continue</button></p>
  </form>`;
  return sessionPage(shown, { title: TITLE, lead: "First confirm that it is you.", body });
}

/** The challenge of the page proves the confirmation: only a confirmed session gets one. */
async function startPasskey(
  ports: SessionPorts,
  shown: Shown,
  { values, ...one }: Registering & { readonly values: URLSearchParams },
): Promise<Response> {
  const subject = "add a passkey";
  const wanted = { action: "change-passkeys", subject, backPath: ACCOUNT, values } as const;
  const change = { wanted, confirm: askConfirmation(ports) };
  const asked = one.isFree ? undefined : await askSession(shown, change);
  return asked ?? newPage(ports, shown, one);
}

/** Whether the session may add a passkey unconfirmed; `known`: all passkeys of its user. */
export function mayAddPasskey(
  { flow, rules }: Pick<SessionPorts, "flow" | "rules">,
  session: BrowserSession,
  known: readonly PasskeyRecord[],
): boolean {
  return mayRegisterPasskey(session, {
    isFirst: known.length === 0,
    canAskAgain: flow?.provider.canAskAgain ?? false,
    now: rules.now(),
  });
}

async function newPage(
  ports: SessionPorts,
  shown: Shown,
  { holder }: Registering,
): Promise<Response> {
  const body = html`${passkeyForm({
    kind: "create",
    options: await startRegistration(partsOf(ports), holder),
    proof: ports.forms.make(shown.from, [NEW_PASSKEY]),
    action: shown.address.root + NEW_PASSKEY,
    title: "On this device, or with a security key",
    button: "Create a passkey",
    fields: html`<div class="form">${formField(NAME_FIELD, new URLSearchParams(), [])}</div>`,
  })}`;
  return sessionPage(shown, {
    title: TITLE,
    lead: "Your browser asks where to keep it.",
    body,
  });
}

async function addPasskey(
  ports: SessionPorts,
  shown: Shown,
  { session, holder, values }: Registering & { readonly values: URLSearchParams },
): Promise<Response> {
  const added = await finishRegistration(partsOf(ports), holder, {
    answer: answerIn(values),
    name: values.get(NAME_FIELD.name) ?? "",
    by: callerOf(ports, shown.from, session),
  });
  if (added.status === "added") return seeOther(shown.address.root + ACCOUNT);
  const body = html`${problemList([{ name: TITLE, words: added.reason }], [])}
    <p><a class="button" href="${shown.address.root}${NEW_PASSKEY}">Start again</a></p>`;
  return sessionPage(shown, { title: TITLE, body, status: 422 });
}

async function removePasskey(ports: SessionPorts, shown: Shown, c: Context): Promise<Response> {
  const session = ports.sessionOf(shown.from);
  const values = await sentForm(ports, shown, { c, fieldsOf: () => [REMOVE_PASSKEY] });
  if (!session?.user || !values) return refusedForm(shown);
  const key = { credentialId: values.get("passkey") ?? "", userId: session.user.id };
  const passkey = await ports.passkeys.passkeys.find(key);
  if (!passkey) return seeOther(shown.address.root + ACCOUNT);
  const subject = `remove the passkey ${passkey.name}`;
  const wanted = { action: "change-passkeys", subject, backPath: ACCOUNT, values } as const;
  const all = await ports.passkeys.passkeys.list(session.user.id);
  const ending = {
    title: `Remove the passkey ${passkey.name}?`,
    ends: [
      "You can no longer confirm changes with it.",
      `You have ${countOf(all.length - 1, "other passkey")}.`,
    ],
    remarks: [lastUse(passkey.usedAt, shown.site.now)],
    button: "Remove the passkey",
  };
  const asked = await askSession(shown, { wanted, ending, confirm: askConfirmation(ports) });
  if (asked) return asked;
  await ports.passkeys.passkeys.remove(key, callerOf(ports, shown.from, session));
  return seeOther(shown.address.root + ACCOUNT);
}

/** Adds the clock and the random source of the host to the rows. */
export function partsOf({ passkeys, rules, random }: SessionPorts) {
  return { ...passkeys, now: () => rules.now(), random };
}
