import type { BrowserSession } from "@sealhouse/identity";
import {
  finishConfirmation,
  formatCookie,
  isStepUpRequired,
  passkeySiteOf,
} from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { refusalPageResponse } from "../kit/refusal-page.ts";
import { shownPage } from "../kit/shown-page.ts";
import type { Shown } from "../kit/shown-page.ts";
import { signInPath } from "../kit/visitor.ts";
import { CONFIRM } from "./confirmation.ts";
import { confirmPage, fieldsOf, parseConfirmation, TOKEN_FIELD } from "./confirm-page.ts";
import type { AskedConfirmation } from "./confirm-page.ts";
import { answerIn } from "./passkey-form.ts";
import { partsOf } from "./passkey-routes.ts";
import { sentForm } from "./sent-form.ts";
import { failedPage, refusedForm, sessionPage } from "./session-page.ts";
import { callerOf, originOf, seeOther } from "./session-ports.ts";
import type { SessionPorts, UnconfirmedAction } from "./session-ports.ts";

/** Adds the page that asks for a passkey, a fresh sign-in or the same token again. */
export function addConfirmRoutes(app: Hono, ports: SessionPorts): void {
  app.get(CONFIRM, (c) =>
    shownPage(ports, c, (shown) => {
      const wanted = parseConfirmation(new URL(c.req.url).searchParams);
      if (!wanted) return unknownAction(shown);
      const session = ports.sessionOf(shown.from);
      if (!session) return seeOther(signInPath(shown.site, shown.address));
      if (!isStepUpRequired(session, ports.rules.now())) {
        return seeOther(shown.address.root + wanted.returnPath);
      }
      return confirmPage(ports, shown, { ...wanted, session });
    }),
  );
  app.post(CONFIRM, (c) => shownPage(ports, c, (shown) => confirm(ports, shown, c)));
}

async function confirm(ports: SessionPorts, shown: Shown, c: Context): Promise<Response> {
  const session = ports.sessionOf(shown.from);
  const values = await sentForm(ports, shown, { c, fieldsOf });
  const wanted = values && parseConfirmation(values);
  if (!session || !values || !wanted) return refusedForm(shown);
  const asked = { ...wanted, session };
  const outcome = session.user
    ? await byPasskey(ports, shown, { asked, values })
    : await byToken(ports, shown, { session, values });
  if (outcome instanceof Response) return outcome;
  if (outcome) {
    const by = callerOf(ports, shown.from, session);
    await ports.onUnconfirmed({ by, ...outcome });
    return confirmPage(ports, shown, { ...asked, problem: outcome.reason });
  }
  const secret = await ports.sessions.stepUp(session);
  if (secret === undefined) return failedPage(shown, "The session has ended. Sign in again.");
  return seeOther(shown.address.root + wanted.returnPath, [
    formatCookie(ports.cookies.session, secret),
  ]);
}

type Refused = Omit<UnconfirmedAction, "by">;

async function byPasskey(
  ports: SessionPorts,
  { address }: Shown,
  { asked, values }: { readonly asked: AskedConfirmation; readonly values: URLSearchParams },
): Promise<Refused | undefined> {
  const { session, action } = asked;
  const { user, hash: sessionHash } = session;
  const site = passkeySiteOf(address.base);
  const code = "passkey-refused";
  if (!user || !site) return { code, reason: "Passkeys do not work at this address." };
  const answer = answerIn(values);
  const holder = { user, sessionHash, site };
  const confirmed = await finishConfirmation(partsOf(ports), holder, { action, answer });
  return confirmed.status === "confirmed" ? undefined : { code, reason: confirmed.reason };
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

function unknownAction(shown: Shown): Promise<Response> {
  const lead = "The link to this page is incomplete. Open the page with the action again.";
  return sessionPage(shown, { title: "Nothing to confirm", lead, status: 404 });
}
