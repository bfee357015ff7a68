import { isLoopback } from "./loopback.ts";
import type { RefusedPerson, SignInAttempt } from "./provider.ts";
import { refuse } from "./refusal.ts";

/** Parameters of every authorization request with PKCE. */
export async function protocolParameters(
  attempt: SignInAttempt,
): Promise<Readonly<Record<string, string>>> {
  const { calculatePKCECodeChallenge } = await import("openid-client");
  return {
    redirect_uri: attempt.redirectUri,
    state: attempt.state,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: "S256",
  };
}

/** The callback at the public address, which a proxy may have changed. */
export function addressOf(callback: URL, { redirectUri }: SignInAttempt): URL {
  const address = new URL(redirectUri);
  address.search = callback.search;
  return address;
}

/** Whether the answer has the state of this sign-in, once. */
export function hasState(callback: URL, { state }: SignInAttempt): boolean {
  const states = callback.searchParams.getAll("state");
  return states.length === 1 && states[0] === state;
}

export function stateMismatch(): RefusedPerson {
  return refuse(
    "state-mismatch",
    "This answer does not belong to a sign-in that this browser started. Go back to the registry " +
      "and sign in again.",
  );
}

/** Whether a provider needs no https, because it is on this machine. */
export function isOnThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && isLoopback(hostname);
}
