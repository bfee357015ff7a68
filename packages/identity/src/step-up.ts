/** Actions that give lasting power, or that cannot be undone. */
export const LASTING_ACTIONS = [
  "add-trust",
  "create-admin-token",
  "publish-name",
  "delete-permanently",
  "change-passkeys",
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
  "create-admin-token": "create a token with the scope admin",
  "publish-name": "make a name public",
  "delete-permanently": "delete permanently",
  "change-passkeys": "add or remove a passkey",
};

/**
 * Whether a session must confirm a lasting action. Only times of this registry's clock count,
 * because identity providers seldom report when a person signed in. A new session has the time of
 * its sign-in.
 */
export function isStepUpRequired(
  { steppedUpAt }: { readonly steppedUpAt?: Date | undefined },
  now: Date,
): boolean {
  if (!steppedUpAt) return true;
  const ageMs = now.getTime() - steppedUpAt.getTime();
  return ageMs < -SKEW_MS || ageMs >= STEP_UP_MS;
}
