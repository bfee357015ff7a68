import type { BrowserSession, PasskeyHolder, PasskeyRecord } from "@sealhouse/identity";
import {
  finishRegistration,
  mayRegisterPasskey,
  passkeySiteOf,
  startRegistration,
} from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { formField, problemList } from "../kit/form-fields.ts";
import type { FormField } from "../kit/form-fields.ts";
import { shownPage } from "../kit/shown-page.ts";
import type { Shown } from "../kit/shown-page.ts";
import { ACCOUNT } from "./account-page.ts";
import { confirmationFor } from "./confirmation.ts";
import { answerIn, NEW_PASSKEY, passkeyForm, REMOVE_PASSKEY } from "./passkey-form.ts";
import { PASSKEYS_NEED } from "./passkeys-card.ts";
import { sentForm } from "./sent-form.ts";
import { refusedForm, sessionPage } from "./session-page.ts";
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
    shownPage(ports, c, (shown) => registering(ports, shown, (one) => newPage(ports, shown, one))),
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

type Registering = { readonly session: BrowserSession; readonly holder: PasskeyHolder };

/** Continues for a user who may add a passkey now; others sign in or confirm first. */
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
  const isAllowed = mayAddPasskey(ports, session, known);
  const wanted = { action: "change-passkeys", returnPath: NEW_PASSKEY } as const;
  const asked = isAllowed ? undefined : confirmationFor(ports, shown, wanted);
  return asked ?? act({ session, holder: { user, sessionHash, site } });
}

/** Whether the session may add a passkey now; `known`: all passkeys of its user. */
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
  { holder, problem }: Registering & { readonly problem?: string },
): Promise<Response> {
  const problems = problem === undefined ? [] : [{ name: TITLE, words: problem }];
  const body = html`${problems.length > 0 && problemList(problems, [])}
  ${passkeyForm({
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
    asksForPasskey: true,
    status: problem === undefined ? 200 : 422,
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
  return newPage(ports, shown, { session, holder, problem: added.reason });
}

async function removePasskey(ports: SessionPorts, shown: Shown, c: Context): Promise<Response> {
  const session = ports.sessionOf(shown.from);
  const values = await sentForm(ports, shown, { c, fieldsOf: () => [REMOVE_PASSKEY] });
  if (!session?.user || !values) return refusedForm(shown);
  const wanted = { action: "change-passkeys", returnPath: ACCOUNT } as const;
  const asked = confirmationFor(ports, shown, wanted);
  if (asked) return asked;
  const key = { credentialId: values.get("passkey") ?? "", userId: session.user.id };
  await ports.passkeys.passkeys.remove(key, callerOf(ports, shown.from, session));
  return seeOther(shown.address.root + ACCOUNT);
}

/** Adds the clock and the random source of the host to the rows. */
export function partsOf({ passkeys, rules, random }: SessionPorts) {
  return { ...passkeys, now: () => rules.now(), random };
}
