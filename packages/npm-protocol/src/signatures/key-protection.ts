import type { KeyProtection } from "./ports.ts";

/** A ring of keys that encrypts, each purpose with its own key. */
export interface ProtectingKeys {
  protect(purpose: string, plain: Uint8Array): Uint8Array;
  unprotect(purpose: string, encrypted: Uint8Array): Promise<Uint8Array>;
}

/** Encrypts the private keys of registry signatures with a key ring. */
export function npmKeyProtection(keyRing: ProtectingKeys): KeyProtection {
  const purpose = "npm/signing-key";
  return {
    seal: (key) => keyRing.protect(purpose, key),
    open: (sealed) => keyRing.unprotect(purpose, sealed),
  };
}
