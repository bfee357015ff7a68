import type { BrowserSession } from "@sealhouse/identity";
import { formatDeletion } from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { shownPage } from "../kit/page/shown-page.ts";
import { signInPath } from "../kit/page/visitor.ts";
import { ACCOUNT, accountPage, SIGN_OUT, SIGN_OUT_EVERYWHERE } from "./account-page.ts";
import { sentForm } from "./sent-form.ts";
import { refusedForm } from "../kit/page/session-page.ts";
import { callerOf, seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

type End = (
  session: BrowserSession,
  by: Parameters<SessionPorts["sessions"]["end"]>[1],
) => Promise<void>;

/** Adds the page of the person who is signed in, and its forms. */
export function addAccountRoutes(app: Hono, ports: SessionPorts): void {
  const { sessions, sessionOf, forms } = ports;
  app.get(ACCOUNT, (c) =>
    shownPage(ports, c, async (shown) => {
      const session = sessionOf(shown.from);
      if (!session) return seeOther(signInPath(shown.site, shown.address));
      const proofFor = (path: string) => forms.make(shown.from, [path]);
      return accountPage(shown, {
        session,
        proofFor,
        all: await sessions.list(session),
        passkeys: session.user && (await ports.passkeys.passkeys.list(session.user.id)),
      });
    }),
  );
  app.post(SIGN_OUT, (c) =>
    signOut(ports, c, { path: SIGN_OUT, end: (...of) => sessions.end(...of) }),
  );
  app.post(SIGN_OUT_EVERYWHERE, (c) =>
    signOut(ports, c, { path: SIGN_OUT_EVERYWHERE, end: (...of) => sessions.endAll(...of) }),
  );
}

function signOut(
  ports: SessionPorts,
  c: Context,
  { path, end }: { readonly path: string; readonly end: End },
): Promise<Response> {
  return shownPage(ports, c, async (shown) => {
    const { from, address } = shown;
    const session = ports.sessionOf(from);
    // The session may have ended in another tab.
    if (!session) return seeOther(`${address.root}/`);
    if (!(await sentForm(ports, shown, { c, fieldsOf: () => [path] }))) return refusedForm(shown);
    await end(session, callerOf(ports, from, session));
    return seeOther(`${address.root}/`, [formatDeletion(ports.cookies.session)]);
  });
}
