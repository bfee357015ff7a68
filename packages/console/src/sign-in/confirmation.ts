import type { LastingAction } from "@sealhouse/identity";
import { isStepUpRequired } from "@sealhouse/identity";
import type { Shown } from "../kit/shown-page.ts";
import { seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Path of the page that asks for a passkey or a fresh sign-in. */
export const CONFIRM = "/account/confirm";

/** A lasting action, and the local path of the page that offers it. */
export type WantedConfirmation = {
  readonly action: LastingAction;
  readonly returnPath: string;
};

/**
 * Leads a session to the page that confirms a lasting action; undefined when the session was
 * confirmed minutes ago, or when the request has no session.
 */
export function confirmationFor(
  { sessionOf, rules }: Pick<SessionPorts, "sessionOf"> & { readonly rules: { now(): Date } },
  { from, address }: Pick<Shown, "from" | "address">,
  { action, returnPath }: WantedConfirmation,
): Response | undefined {
  const session = sessionOf(from);
  if (!session || !isStepUpRequired(session, rules.now())) return undefined;
  const query = new URLSearchParams({ action, returnUrl: returnPath });
  return seeOther(`${address.root}${CONFIRM}?${query.toString()}`);
}
