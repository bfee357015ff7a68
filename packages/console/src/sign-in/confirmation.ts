import { confirmedFormOf } from "../kit/forms/confirmed-forms.ts";
import type { AskConfirmation } from "../kit/forms/confirmed-forms.ts";
import { seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Path of the pages that ask for a confirmation, before the id of the form. */
export const CONFIRM = "/account/confirm";

/**
 * Returns the port that asks sessions for confirmations. A confirmed form counts for the action and
 * the subject that it was confirmed for; only then may the session do it.
 */
export function askConfirmation({
  sessionOf,
  confirmations,
  pageSessions,
  rules,
}: Pick<SessionPorts, "sessionOf" | "confirmations" | "pageSessions" | "rules">): AskConfirmation {
  return async ({ from, address }, { values, ...wanted }) => {
    const session = sessionOf(from);
    if (!session) return undefined;
    const form = confirmedFormOf(from.request);
    // What the action does may have changed since the confirmation.
    if (form?.action === wanted.action && form.subject === wanted.subject) {
      pageSessions.confirm(rules.contexts.of(from.request, from.env));
      return undefined;
    }
    const path = new URL(from.request.url).pathname;
    const fields = values.toString();
    const id = await confirmations.ask(session, { ...wanted, path, fields });
    return seeOther(`${address.root}${CONFIRM}/${id}`);
  };
}
