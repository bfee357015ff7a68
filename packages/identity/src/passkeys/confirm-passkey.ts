import type { LastingAction } from "../step-up.ts";
import { isConfirmationAnswer } from "./passkey-answer.ts";
import { addChallenge, takeChallenge } from "./passkey-challenges.ts";
import type { ChallengeScope, PasskeyRecord } from "./ports.ts";
import type { PasskeyHolder, PasskeyParts } from "./register-passkey.ts";

/** The action that a passkey confirms. */
export type ConfirmedAction = {
  readonly action: LastingAction;
  /** The object of the action, such as the name of a package. */
  readonly subject?: string;
};

/** The outcome of a confirmation. `reason` is a sentence for the user. */
export type PasskeyConfirmation =
  | { readonly status: "confirmed"; readonly passkey: PasskeyRecord }
  | { readonly status: "refused"; readonly reason: string };

const EXPIRED = "The confirmation has expired, was used before, or is for another action.";
const INVALID = "The passkey could not be verified. Use a passkey of your account.";
const COPIED =
  "The passkey was used elsewhere since its last use. Remove it if it may have been copied.";

/**
 * Begins a confirmation. Returns the options for `PublicKeyCredential.parseRequestOptionsFromJSON`;
 * undefined when the user has no passkey for this address.
 */
export async function startConfirmation(
  parts: PasskeyParts,
  holder: PasskeyHolder,
  act: ConfirmedAction,
): Promise<object | undefined> {
  const { user, site } = holder;
  const known = (await parts.passkeys.list(user.id)).filter(({ rpId }) => rpId === site.rpId);
  if (known.length === 0) return undefined;
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  return generateAuthenticationOptions({
    rpID: site.rpId,
    challenge: await addChallenge(parts, scopeOf(holder, act)),
    allowCredentials: known.map(({ credentialId, transports }) => {
      return { id: credentialId, transports: [...transports] };
    }),
    userVerification: "required",
  });
}

/** Ends a confirmation with the answer of the browser. The session may then do the action. */
export async function finishConfirmation(
  parts: PasskeyParts,
  holder: PasskeyHolder,
  { answer, ...act }: ConfirmedAction & { readonly answer: unknown },
): Promise<PasskeyConfirmation> {
  if (!isConfirmationAnswer(answer)) return { status: "refused", reason: INVALID };
  const { clientDataJSON } = answer.response;
  const challenge = await takeChallenge(parts, scopeOf(holder, act), clientDataJSON);
  if (challenge === undefined) return { status: "refused", reason: EXPIRED };
  const { user, site } = holder;
  // The library does not compare the id of the answer with that of the credential.
  const key = { credentialId: answer.id, userId: user.id };
  const passkey = await parts.passkeys.find(key);
  if (passkey?.rpId !== site.rpId) return { status: "refused", reason: INVALID };
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { credentialId: id, publicKey, counter } = passkey;
  const verified = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    credential: { id, publicKey: Uint8Array.from(publicKey), counter },
    requireUserVerification: true,
    // The library throws plain errors about the answer of the browser.
  }).catch(() => undefined);
  if (verified?.verified !== true) return { status: "refused", reason: INVALID };
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  const use = { seenCounter: counter, counter: newCounter, isBackedUp: credentialBackedUp };
  const isStored = await parts.passkeys.used(key, { ...use, at: parts.now() });
  return isStored ? { status: "confirmed", passkey } : { status: "refused", reason: COPIED };
}

function scopeOf(
  { user, sessionHash }: PasskeyHolder,
  { action, subject }: ConfirmedAction,
): ChallengeScope {
  const scope = { userId: user.id, sessionHash, purpose: action };
  return subject === undefined ? scope : { ...scope, subject };
}
