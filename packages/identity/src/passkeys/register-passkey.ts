import type { Caller } from "@sealhouse/request-types";
import type { Person } from "../people/person.ts";
import { isRegistrationAnswer } from "./passkey-answer.ts";
import { addChallenge, takeChallenge } from "./passkey-challenges.ts";
import type { ChallengeParts } from "./passkey-challenges.ts";
import type { PasskeySite } from "./passkey-site.ts";
import { PASSKEYS_MAX } from "./ports.ts";
import type { ChallengeScope, PasskeyRecord, Passkeys } from "./ports.ts";

/** Dependencies of passkeys. */
export type PasskeyParts = ChallengeParts & {
  readonly passkeys: Passkeys;
  /** Name of the registry, which browsers show. */
  readonly serverName: string;
};

/** A browser that is signed in, at an address with passkeys. */
export type PasskeyHolder = {
  readonly user: Pick<Person, "id" | "handle" | "displayName">;
  /** Hash of the session's secret. */
  readonly sessionHash: string;
  readonly site: PasskeySite;
};

/** The outcome of a registration. `reason` is a sentence for the user. */
export type PasskeyRegistration =
  | { readonly status: "added"; readonly passkey: PasskeyRecord }
  | { readonly status: "refused"; readonly reason: string };

/** EdDSA, ES256, RS256. Newer algorithms are experimental in Node. */
const ALGORITHMS = [-8, -7, -257];
/** Bytes of a column; keys of these algorithms have less than 600. */
const KEY_BYTES_MAX = 4_096;
const NAME_LENGTH_MAX = 100;

const REFUSED = {
  expired: "The request for a passkey has expired or was used before. Start again.",
  invalid: "The passkey does not belong to this registry, or its answer was changed. Start again.",
  taken: "This passkey is registered already.",
  crowded: `A user has at most ${PASSKEYS_MAX} passkeys. Remove one first.`,
} as const;

/** Begins a registration. Returns JSON for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export async function startRegistration(
  parts: PasskeyParts,
  { user, sessionHash, site }: PasskeyHolder,
): Promise<object> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const known = (await parts.passkeys.list(user.id)).filter(({ rpId }) => rpId === site.rpId);
  return generateRegistrationOptions({
    rpName: parts.serverName,
    rpID: site.rpId,
    userName: user.handle,
    userDisplayName: user.displayName,
    // Authenticators keep it forever, so it contains no name or address.
    userID: Uint8Array.from(Buffer.from(user.id)),
    challenge: await addChallenge(parts, scopeOf(user.id, sessionHash)),
    attestationType: "none",
    excludeCredentials: known.map(({ credentialId, transports }) => {
      return { id: credentialId, transports: [...transports] };
    }),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Ends a registration with the answer of the browser. */
export async function finishRegistration(
  parts: PasskeyParts,
  { user, sessionHash, site }: PasskeyHolder,
  { answer, name, by }: { readonly answer: unknown; readonly name: string; readonly by: Caller },
): Promise<PasskeyRegistration> {
  if (!isRegistrationAnswer(answer)) return { status: "refused", reason: REFUSED.invalid };
  const scope = scopeOf(user.id, sessionHash);
  const challenge = await takeChallenge(parts, scope, answer.response.clientDataJSON);
  if (challenge === undefined) return { status: "refused", reason: REFUSED.expired };
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const verified = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    supportedAlgorithmIDs: ALGORITHMS,
    // The library throws plain errors about the answer of the browser.
  }).catch(() => undefined);
  const info = verified?.registrationInfo;
  const isOwn = info?.credential.id === answer.id;
  if (!info || !isOwn || info.credential.publicKey.length > KEY_BYTES_MAX) {
    return { status: "refused", reason: REFUSED.invalid };
  }
  const passkey: PasskeyRecord = {
    credentialId: answer.id,
    userId: user.id,
    rpId: site.rpId,
    publicKey: info.credential.publicKey,
    counter: info.credential.counter,
    isBackedUp: info.credentialBackedUp,
    transports: transportsOf(info.credential.transports),
    name: nameOf(name),
    createdAt: parts.now(),
  };
  const outcome = await parts.passkeys.add(passkey, by);
  return outcome === "added"
    ? { status: "added", passkey }
    : { status: "refused", reason: REFUSED[outcome] };
}

function scopeOf(userId: string, sessionHash: string): ChallengeScope {
  return { userId, sessionHash, purpose: "register" };
}

function nameOf(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return plain === "" ? "Passkey" : plain.slice(0, NAME_LENGTH_MAX);
}

/** Browsers send short words, and may send new ones. */
function transportsOf(transports: unknown): readonly string[] {
  if (!Array.isArray(transports)) return [];
  return transports
    .filter((word): word is string => typeof word === "string" && /^[a-z-]{1,20}$/.test(word))
    .slice(0, 10);
}
