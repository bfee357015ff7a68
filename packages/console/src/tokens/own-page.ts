import type { Caller } from "@sealhouse/request-types";
import type { Context } from "hono";
import { readSentForm } from "../kit/forms/posted-form.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import { signInPath } from "../kit/page/visitor.ts";
import { refusedForm, sessionPage } from "../kit/page/session-page.ts";
import { FORM_BYTES_MAX, originOf, seeOther } from "../sign-in/session-ports.ts";
import type { SessionPorts } from "../sign-in/session-ports.ts";
import type { OwnPage } from "./token-pages.ts";

const USERS_ONLY =
  "You are signed in with a token. These pages are for people who sign in as a user; operators " +
  "manage tokens with the command sealhouse token.";

/** Renders a page for the user who is signed in, and leads all others to the sign-in. */
export function ownPage(
  ports: SessionPorts,
  c: Context,
  render: (page: OwnPage) => Promise<Response>,
): Promise<Response> {
  return shownPage(ports, c, async (shown) => {
    const session = ports.sessionOf(shown.from);
    if (!session) return seeOther(signInPath(shown.site, shown.address));
    const { user } = session;
    const title = "Not allowed";
    if (!user) return sessionPage(shown, { title, lead: USERS_ONLY, status: 403 });
    const proofFor = (path: string) => ports.forms.make(shown.from, [path]);
    return render({ ...shown, session, user, proofFor });
  });
}

/** Handles a form of the user who is signed in. `path` is the one that its code is for. */
export function ownForm(
  ports: SessionPorts,
  { c, path }: { readonly c: Context; readonly path: string },
  act: (page: OwnPage, form: SentForm) => Promise<Response>,
): Promise<Response> {
  return ownPage(ports, c, async (page) => {
    const expected = { c, fieldsOf: () => [path], bytesMax: FORM_BYTES_MAX };
    const form = await readSentForm(ports.forms, page, expected);
    return typeof form === "string" ? refusedForm(page) : act(page, form);
  });
}

/** The user as the one who makes a change, which every role allows. */
export function callerOf(ports: SessionPorts, { from, user, session }: OwnPage): Caller {
  const { address, requestId } = originOf(ports, from);
  return {
    actor: user.handle,
    holderId: user.id,
    sessionHash: session.hash,
    needs: undefined,
    ...(address !== undefined && { address }),
    ...(requestId !== undefined && { requestId }),
  };
}
