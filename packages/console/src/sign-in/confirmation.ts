import type { LastingForm } from "@sealhouse/identity";
import { confirmedFormOf } from "../kit/confirmed-forms.ts";
import type { Shown } from "../kit/shown-page.ts";
import { seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Path of the pages that ask for a confirmation, before the id of the form. */
export const CONFIRM = "/account/confirm";

/** A lasting action on one subject, and the fields that the form was sent with. */
export type LastingRequest = Pick<LastingForm, "action" | "subject" | "backPath"> & {
  readonly values: URLSearchParams;
};

/**
 * Keeps the form of a lasting action, and leads its session to the page that confirms it. Undefined
 * when the request sends the confirmed form again, or has no session: programs cannot answer.
 */
export type AskConfirmation = (
  shown: Pick<Shown, "from" | "address">,
  wanted: LastingRequest,
) => Promise<Response | undefined>;

/** Returns the port that asks sessions for confirmations. */
export function askConfirmation({
  sessionOf,
  confirmations,
}: Pick<SessionPorts, "sessionOf" | "confirmations">): AskConfirmation {
  return async ({ from, address }, { values, ...wanted }) => {
    const session = sessionOf(from);
    if (!session) return undefined;
    const form = confirmedFormOf(from.request);
    // What the action does may have changed since the confirmation.
    if (form?.action === wanted.action && form.subject === wanted.subject) return undefined;
    const path = new URL(from.request.url).pathname;
    const fields = values.toString();
    const id = await confirmations.ask(session, { ...wanted, path, fields });
    return seeOther(`${address.root}${CONFIRM}/${id}`);
  };
}
