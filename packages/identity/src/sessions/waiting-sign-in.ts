import { KeyRingError } from "../errors.ts";
import type { KeyRing } from "../key-ring/key-ring.ts";

/** A sign-in at the identity provider, in the browser that comes back from there. */
export type WaitingSignIn = {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier. */
  readonly verifier: string;
  readonly purpose: "sign-in" | "step-up";
  /** The session that steps up. */
  readonly sessionHash?: string;
  /** Local path of the page that the browser returns to. */
  readonly returnPath: string;
  readonly createdAt: Date;
};

/** Keys of the service that encrypt waiting sign-ins. */
export type SignInKeys = Pick<KeyRing, "protect" | "unprotect">;

/**
 * Characters of the return path. Five sign-ins of a browser must fit into the headers of a request,
 * of which Node.js reads 16 KiB.
 */
const RETURN_PATH_MAX = 1_024;
const SEALED_MAX = 4_096;

/**
 * Encrypts a waiting sign-in for a cookie. Nothing is stored, so that sign-ins that strangers begin
 * leave no room for others. Only the same provider can open it.
 */
export function sealSignIn(keys: SignInKeys, provider: string, waiting: WaitingSignIn): string {
  const { returnPath, createdAt, ...rest } = waiting;
  const stored: Stored = {
    ...rest,
    returnPath: returnPath.length > RETURN_PATH_MAX ? "/" : returnPath,
    createdAtMs: createdAt.getTime(),
  };
  const bytes = keys.protect(purposeOf(provider), Buffer.from(JSON.stringify(stored)));
  return Buffer.from(bytes).toString("base64url");
}

/** Decrypts a cookie. Undefined for a text that `sealSignIn` did not make for this provider. */
export async function openSignIn(
  keys: SignInKeys,
  provider: string,
  sealed: string,
): Promise<WaitingSignIn | undefined> {
  if (sealed.length > SEALED_MAX) return undefined;
  try {
    const bytes = await keys.unprotect(purposeOf(provider), Buffer.from(sealed, "base64url"));
    // The tag of the encryption proves that `sealSignIn` wrote it.
    const { createdAtMs, ...waiting } = JSON.parse(Buffer.from(bytes).toString("utf8")) as Stored;
    return { ...waiting, createdAt: new Date(createdAtMs) };
  } catch (error) {
    if (error instanceof KeyRingError) return undefined;
    throw error;
  }
}

type Stored = Omit<WaitingSignIn, "createdAt"> & { readonly createdAtMs: number };

function purposeOf(provider: string): string {
  return `waiting-sign-in/${provider}`;
}
