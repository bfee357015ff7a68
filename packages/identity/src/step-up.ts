import type { NewToken } from "./create-token.ts";
import { isNarrow } from "./principal.ts";

/** Actions that give lasting power, or that cannot be undone. */
export const LASTING_ACTIONS = [
  "add-trust",
  "create-token",
  "approve-login",
  "publish-name",
  "delete-permanently",
  "change-passkeys",
  "change-owners",
  "change-users",
] as const;

/** An action that asks for a fresh sign-in or a passkey when a session does it. */
export type LastingAction = (typeof LASTING_ACTIONS)[number];

/** Milliseconds for which a session may do such actions after a sign-in or passkey. */
export const STEP_UP_MS = 10 * 60_000;
/** Milliseconds by which the clocks of two instances may differ. */
const SKEW_MS = 60_000;

/** Names of the actions, for pages: "Confirm with a passkey to …". */
export const LASTING_ACTION_TEXTS: Readonly<Record<LastingAction, string>> = {
  "add-trust": "add a trusted publisher",
  "create-token": "create a token that may delete, manage or administer",
  "approve-login": "let a command-line client sign in as you",
  "publish-name": "change who sees a name",
  "delete-permanently": "delete permanently",
  "change-passkeys": "add or remove a passkey",
  "change-owners": "change the owners of a name",
  "change-users": "change users, teams or service accounts",
};

/**
 * Whether a session must confirm a lasting action. Only times of this registry's clock count,
 * because identity providers seldom report when a person signed in. A plain sign-in does not count:
 * the provider may have answered it without asking the person.
 */
export function isStepUpRequired(
  { steppedUpAt }: { readonly steppedUpAt?: Date | undefined },
  now: Date,
): boolean {
  return !isFresh(steppedUpAt, now);
}

/**
 * Whether a token does what a session must confirm. A token that is limited to names or networks
 * manages nothing.
 */
export function isLastingToken({
  scopes,
  patterns = [],
  networks = [],
}: Pick<NewToken, "scopes" | "patterns" | "networks">): boolean {
  if (scopes.includes("admin") || scopes.includes("delete")) return true;
  return scopes.includes("write") && !isNarrow({ patterns, networks });
}

/**
 * Whether a session may register a passkey. The first passkey of a user may follow a sign-in,
 * because some providers cannot ask a person again.
 */
export function mayRegisterPasskey(
  session: { readonly createdAt: Date; readonly steppedUpAt?: Date | undefined },
  { isFirst, now }: { readonly isFirst: boolean; readonly now: Date },
): boolean {
  return !isStepUpRequired(session, now) || (isFirst && isFresh(session.createdAt, now));
}

function isFresh(time: Date | undefined, now: Date): boolean {
  if (!time) return false;
  const ageMs = now.getTime() - time.getTime();
  return ageMs >= -SKEW_MS && ageMs < STEP_UP_MS;
}
