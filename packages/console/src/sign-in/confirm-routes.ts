import type { BrowserSession, WaitingConfirmation } from "@sealhouse/identity";
import { finishConfirmation, passkeySiteOf } from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { confirmedRequest } from "../kit/forms/confirmed-forms.ts";
import { refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { signInPath } from "../kit/page/visitor.ts";
import { CODE_FIELD, confirmPage, fieldsOf, PRINT_CODE, TOKEN_FIELD } from "./confirm-page.ts";
import type { AskedConfirmation } from "./confirm-page.ts";
import { CONFIRM } from "./confirmation.ts";
import { answerIn } from "./passkey-form.ts";
import { partsOf } from "./passkey-routes.ts";
import { sentForm } from "./sent-form.ts";
import { refusedForm, sessionPage } from "../kit/page/session-page.ts";
import { callerOf, originOf, seeOther } from "./session-ports.ts";
import type { SessionPorts, UnconfirmedAction } from "./session-ports.ts";

/** Answers the request that sends a confirmed form again. */
export type SendAgain = (request: Request, env: unknown) => Response | Promise<Response>;

/** Adds the pages that confirm one form: with a passkey, a new sign-in, a code or a token. */
export function addConfirmRoutes(app: Hono, ports: SessionPorts, sendAgain: SendAgain): void {
  app.get(`${CONFIRM}/:id`, (c) =>
    shownPage(ports, c, async (shown) => {
      const session = ports.sessionOf(shown.from);
      if (!session) return seeOther(signInPath(shown.site, shown.address));
      const asked = await askedFor(ports, session, c);
      return asked ? confirmPage(ports, shown, asked) : unknownForm(shown);
    }),
  );
  app.post(`${CONFIRM}/:id`, (c) =>
    shownPage(ports, c, (shown) => confirm(ports, shown, c, sendAgain)),
  );
  app.post(`${CONFIRM}/:id/${PRINT_CODE}`, (c) =>
    shownPage(ports, c, (shown) => printCode(ports, shown, c)),
  );
}

async function askedFor(
  ports: SessionPorts,
  session: BrowserSession,
  c: Context,
): Promise<AskedConfirmation | undefined> {
  const id = c.req.param("id") ?? "";
  const form = await ports.confirmations.find(session, id);
  return form && { id, form, session };
}

async function confirm(
  ports: SessionPorts,
  shown: Shown,
  c: Context,
  sendAgain: SendAgain,
): Promise<Response> {
  const session = ports.sessionOf(shown.from);
  const id = c.req.param("id") ?? "";
  const values = await sentForm(ports, shown, { c, fieldsOf: () => fieldsOf(id) });
  if (!session || !values) return refusedForm(shown);
  const asked = await askedFor(ports, session, c);
  if (!asked) return unknownForm(shown);
  const refused = await refusalOf(ports, shown, { asked, values });
  if (refused instanceof Response) return refused;
  if (refused) {
    await ports.onUnconfirmed({ by: callerOf(ports, shown.from, session), ...refused });
    return confirmPage(ports, shown, { ...asked, problem: refused.reason });
  }
  const form = await ports.confirmations.take(session, id);
  if (!form) return unknownForm(shown);
  return sendAgain(confirmedRequest(c.req.raw, form), c.env);
}

type Refused = Omit<UnconfirmedAction, "by">;
type Sent = { readonly asked: AskedConfirmation; readonly values: URLSearchParams };

/** Returns why the session has not confirmed the form; undefined when it has. */
async function refusalOf(
  ports: SessionPorts,
  shown: Shown,
  { asked, values }: Sent,
): Promise<Refused | Response | undefined> {
  const { session, form } = asked;
  if (!session.user) return byToken(ports, shown, { session, values });
  if (form.isConfirmed) return undefined;
  if (values.has(CODE_FIELD.name)) return byCode(ports, shown, { form, values });
  return byPasskey(ports, shown, { asked, values });
}

async function byPasskey(
  ports: SessionPorts,
  { address }: Shown,
  { asked, values }: Sent,
): Promise<Refused | undefined> {
  const { session, form } = asked;
  const { user, hash: sessionHash } = session;
  const site = passkeySiteOf(address.base);
  const code = "passkey-refused";
  if (!user || !site) return { code, reason: "Passkeys do not work at this address." };
  const holder = { user, sessionHash, site };
  const act = { action: form.action, subject: form.hash, answer: answerIn(values) };
  const confirmed = await finishConfirmation(partsOf(ports), holder, act);
  return confirmed.status === "confirmed" ? undefined : { code, reason: confirmed.reason };
}

function byCode(
  { terminal, isLocalPeer }: SessionPorts,
  { from }: Shown,
  { form, values }: { readonly form: WaitingConfirmation; readonly values: URLSearchParams },
): Refused | undefined {
  const code = values.get(CODE_FIELD.name) ?? "";
  if (terminal && isLocalPeer(from) && terminal.take(form.hash, code)) return undefined;
  return { code: "code-refused", reason: "The code is wrong or was used. Print a new one." };
}

/** The session of a token is confirmed with the same token. */
async function byToken(
  ports: SessionPorts,
  { from, site, address }: Shown,
  { session, values }: { readonly session: BrowserSession; readonly values: URLSearchParams },
): Promise<Refused | Response | undefined> {
  const { principal } = session;
  const secret = values.get(TOKEN_FIELD.name)?.trim() ?? "";
  const credentials = { type: "secret", secret, via: "bearer" } as const;
  const { address: network } = originOf(ports, from);
  const result = await ports.rules.authenticator.authenticate(credentials, network);
  if (result.status === "limited") return refusalPageResponse(site, address, result);
  const isSame =
    result.status === "principal" &&
    !("kind" in principal) &&
    result.principal.tokenId === principal.tokenId;
  const reason = "This is not the token that the session belongs to.";
  return isSame ? undefined : { code: "token-refused", reason };
}

/** Prints a code in the terminal of the host. */
async function printCode(ports: SessionPorts, shown: Shown, c: Context): Promise<Response> {
  const { terminal, isLocalPeer, sessionOf } = ports;
  const session = sessionOf(shown.from);
  const id = c.req.param("id") ?? "";
  const values = await sentForm(ports, shown, { c, fieldsOf: () => fieldsOf(id) });
  if (!session?.user || !values || !terminal || !isLocalPeer(shown.from)) return refusedForm(shown);
  const asked = await askedFor(ports, session, c);
  if (!asked) return unknownForm(shown);
  const isPrinted = terminal.print(asked.form.hash, asked.form.subject);
  if (isPrinted) return confirmPage(ports, shown, { ...asked, isCodePrinted: true });
  const problem = "Too many codes were printed. Try again in ten minutes.";
  return confirmPage(ports, shown, { ...asked, problem });
}

function unknownForm(shown: Shown): Promise<Response> {
  const lead =
    "The form was confirmed before, is older than ten minutes, or belongs to another session. " +
    "Nothing was changed by this page. Open the page with the action again.";
  return sessionPage(shown, { title: "Nothing to confirm", lead, status: 404 });
}
